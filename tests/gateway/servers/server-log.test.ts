import {expect, test} from 'vitest';
import {createLogger} from '../../../source/core/log.ts';
import {createServerLog} from '../../../source/gateway/servers/server-news.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {makeServer, makeServerTool} from '../../helpers/make-server.ts';

function open() {
	const lines: string[] = [];
	const log = createServerLog(
		createLogger({
			clock: createFakeClock(),
			redact: text => text,
			write: ({level, message, fields}) =>
				lines.push(`${level} ${message} ${JSON.stringify(fields)}`),
		}),
	);
	return {log, lines};
}

test('where a server stands is said once each time that it is news', () => {
	const {log, lines} = open();
	const failed = makeServer({status: 'failed', reason: 'connection refused'});

	log.changed(makeServer({status: 'connecting'}));
	log.changed(failed);
	log.changed(makeServer({status: 'connecting', reason: 'connection refused'}));
	log.changed(failed);
	log.changed(makeServer({tools: [makeServerTool()], protocol: 'legacy 2025-11-25'}));
	log.changed(
		makeServer({tools: [makeServerTool()], protocol: 'legacy 2025-11-25', activeCalls: 1}),
	);
	log.changed(failed);
	log.changed(makeServer({profile: 'acme', status: 'needs login', reason: 'svc mcp login crm'}));
	log.changed(makeServer({status: 'needs login', reason: 'Tool server "crm" needs a login: now'}));
	log.removed({profile: 'default', name: 'crm'});

	expect(lines).toEqual([
		'warn Tool server "crm" cannot be connected to: connection refused {}',
		'note Tool server "crm" is connected {"tools":1,"protocol":"legacy 2025-11-25"}',
		'warn Tool server "crm" cannot be connected to: connection refused {}',
		'warn Tool server "crm" needs a login: svc mcp login crm {"profile":"acme"}',
		'warn Tool server "crm" needs a login: now {}',
		'info Tool server "crm" is gone {}',
	]);
});
