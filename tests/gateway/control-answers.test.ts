import {once} from 'node:events';
import {connect} from 'node:net';
import {text} from 'node:stream/consumers';
import {expect, test} from 'vitest';
import {silentLogger} from '../../source/core/log.ts';
import {createControlCalls} from '../../source/gateway/control/control-calls.ts';
import {startControlServer} from '../../source/gateway/control/control-server.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

test.each([
	['no Host', 'GET /openapi.json HTTP/1.1\r\n\r\n', 400],
	['two of them', 'GET /openapi.json HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
	['no HTTP', 'nonsense\r\n\r\n', 400],
	['another version', 'GET /openapi.json HTTP/0.9\r\nHost: a\r\n\r\n', 400],
	['a tunnel', 'CONNECT elsewhere:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
	[
		'a header that is too large',
		`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
		431,
	],
	['what no operation is', 'GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
])('the control socket answers %s in JSON and hangs up', async (_, bytes, status) => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	await using control = await startControlServer(
		{port: createFakePort(), version: '1', log: silentLogger},
		{socket},
	);
	expect(control).toBeDefined();
	const connection = connect(socket);
	connection.write(bytes);
	const answer = await text(connection);

	expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
	expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual(
		expect.objectContaining({error: expect.stringMatching(/./)}),
	);
});

/** A gateway whose search never ends, and the signal that a search was given. */
async function openSearching() {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const socket = home.file('gateway.sock');
	const given = Promise.withResolvers<AbortSignal | undefined>();
	const searchRuns = async (_question: unknown, hungUp?: AbortSignal) => {
		given.resolve(hungUp);
		return new Promise<never>(() => {});
	};
	stack.use(
		await startControlServer(
			{port: {...createFakePort(), searchRuns}, version: '1', log: silentLogger},
			{socket},
		),
	);
	return {socket, given, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

test('a searcher who hangs up ends the search, and no other call', async () => {
	await using searching = await openSearching();
	const {socket, given} = searching;
	const connection = connect(socket);
	connection.write('GET /v1/history/runs?filter=x HTTP/1.1\r\nHost: a\r\n\r\n');
	const hungUp = await given.promise;
	expect(hungUp?.aborted).toBe(false);

	const aborted = once(hungUp ?? new EventTarget(), 'abort');
	connection.destroy();
	await aborted;
});

test('a face that drops a search hangs up on the gateway', async () => {
	await using searching = await openSearching();
	const {socket, given} = searching;
	const leaving = new AbortController();
	const search = createControlCalls(socket).searchRuns({filter: 'x', limit: 1}, leaving.signal);
	const hungUp = await given.promise;
	const aborted = once(hungUp ?? new EventTarget(), 'abort');
	leaving.abort();
	await expect(search).rejects.toMatchObject({name: 'AbortError'});
	await aborted;
});
