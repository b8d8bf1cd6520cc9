import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {preflight} from '../../../source/mcp/wire/preflight.ts';
import {plainAuthorities} from '../../helpers/authorities.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {until} from '../../helpers/processes.ts';
import {always, jsonServer, remoteServer, startHttp} from '../servers/http-server.ts';
import {startStateful} from '../servers/stateful-server.ts';
import {everythingServer} from '../servers/stdio-server.ts';
import {openTransports} from './open-transports.ts';

const options = {signal: new AbortController().signal, secrets: []};

const refusal = {
	code: 'mcp_connect_failed',
	message:
		"MCP server 'crm': its url answers with text/html; charset=utf-8, not as a tool server: check url, or set skip_preflight",
	failure: {kind: 'permanent'},
};

const page = always(200, 'text/html; charset=utf-8', '<html>');

test('a web page is refused, each time', async () => {
	await using world = await openTransports();
	await using http = await startHttp(page);

	await expect(world.transports.preflight(remoteServer(http.url), options)).rejects.toMatchObject(
		refusal,
	);
	await expect(world.transports.preflight(remoteServer(http.url), options)).rejects.toMatchObject(
		refusal,
	);
});

test('"skip_preflight: bypass the fail-fast content-type probe", and only Streamable HTTP is probed', async () => {
	await using world = await openTransports();
	await using http = await startHttp(page);
	await world.transports.preflight(remoteServer(http.url, {skipPreflight: true}), options);
	await world.transports.preflight(remoteServer(http.url, {transport: 'sse'}), options);
	await world.transports.preflight(everythingServer(), options);

	expect(http.requests).toEqual([]);
});

test('a server that shows a page to GET and speaks to POST passes', async () => {
	await using world = await openTransports();
	const serve = jsonServer();
	await using http = await startHttp((request, response) => {
		(request.method === 'GET' ? page : serve)(request, response);
	});

	await expect(
		world.transports.preflight(remoteServer(http.url), options),
	).resolves.toBeUndefined();
});

test('what passed is not asked again, unless it is configured otherwise', async () => {
	await using world = await openTransports();
	await using stateful = await startStateful();
	await world.transports.preflight(remoteServer(stateful.url), options);
	await world.transports.preflight(remoteServer(stateful.url), options);
	expect(stateful.requests).toHaveLength(1);
	await world.transports.preflight(remoteServer(stateful.url, {headers: {a: 'b'}}), options);

	expect(stateful.requests.map(({headers}) => headers['a'])).toEqual([undefined, 'b']);
});

test.for([401, 404, 405, 500])('HTTP %i says nothing', async status => {
	await using world = await openTransports();
	await using http = await startHttp(always(status, 'text/html'));

	await expect(
		world.transports.preflight(remoteServer(http.url), options),
	).resolves.toBeUndefined();
});

test('an event stream passes though it does not end, and is let go', async () => {
	await using world = await openTransports();
	const closed = Promise.withResolvers<void>();
	await using http = await startHttp((_request, response) => {
		response.once('close', closed.resolve);
		response.writeHead(200, {'content-type': 'text/event-stream'}).write(': hello\n\n');
	});
	await world.transports.preflight(remoteServer(http.url), options);

	await closed.promise;
	expect(http.requests).toHaveLength(1);
});

test('a server that does not answer within 5 s passes, and is asked again', async () => {
	const clock = createFakeClock();
	await using http = await startHttp(() => {});
	const asked = preflight(remoteServer(http.url), options, {
		clock,
		environment: {},
		authorities: plainAuthorities,
		redact: text => text,
	});
	await until(() => http.requests.length > 0);
	clock.advance(5000);

	expect(await asked).toBe(false);
});

test('a network that is in the way passes, an abort does not', async () => {
	const parts = {
		clock: systemClock,
		environment: {},
		authorities: plainAuthorities,
		redact: (text: string) => text,
	};
	const nowhere = remoteServer('http://127.0.0.1:9/mcp');

	expect(await preflight(nowhere, options, parts)).toBe(false);
	await expect(
		preflight(nowhere, {...options, signal: AbortSignal.abort(new Error('enough'))}, parts),
	).rejects.toThrow('enough');
});
