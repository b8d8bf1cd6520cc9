import {expect, test} from 'vitest';
import {partingWords} from '../../../source/cli/start/detach.ts';

test('whoever leaves a gateway that takes no webhooks hears why', () => {
	const reason = 'Cannot listen on "127.0.0.1:8644": another process holds this port';
	expect(
		partingWords({webhook: {state: 'refused', code: 'port_in_use', reason, since: 0}}, 7),
	).toEqual([
		'The gateway goes on, process 7: "svc" attaches, "svc gateway stop" ends it',
		`It takes no webhooks: ${reason}`,
	]);
	expect(partingWords({webhook: {state: 'listening', url: 'http://127.0.0.1:1'}}, 7)).toHaveLength(
		1,
	);
});

test('whoever leaves a gateway that does not serve its chat API hears why', () => {
	const webhook = {state: 'listening', url: 'http://127.0.0.1:1'} as const;
	const api = {state: 'refused', code: 'port_in_use', reason: 'another process', since: 0} as const;
	expect(partingWords({webhook, api}, 7)).toContain(
		'It does not serve the chat API: another process',
	);
});
