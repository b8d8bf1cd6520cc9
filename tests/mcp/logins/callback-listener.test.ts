import {once} from 'node:events';
import {createServer} from 'node:net';
import {networkInterfaces} from 'node:os';
import {expect, test} from 'vitest';
import {systemClock as clock} from '../../../source/core/clock.ts';
import {listenForCallback} from '../../../source/mcp/logins/callback-listener.ts';
import {createCallbackPorts} from '../../../source/mcp/logins/callback-ports.ts';
import {rawExchange} from '../../helpers/raw-http.ts';

const never = new AbortController().signal;

/** A listener that waits for the state `right`, which answers with `done`. */
async function listening({asLocalhost = false} = {}) {
	const listener = await listenForCallback({clock, port: 0, asLocalhost});
	const answer = listener.expect({path: '/callback', state: 'right'}, never);
	const answered = (async () => {
		const {params, reply} = await answer;
		reply('done');
		return Object.fromEntries(params);
	})();
	return {
		listener,
		answered,
		url: `http://127.0.0.1:${listener.port}/callback`,
		[Symbol.asyncDispose]: async () => listener[Symbol.asyncDispose](),
	};
}

test('the answer to a login is taken once, and the page says what happened', async () => {
	await using it = await listening();

	const first = await fetch(`${it.url}?code=c0de&state=right&iss=x`);
	expect(await it.answered).toEqual({code: 'c0de', state: 'right', iss: 'x'});
	expect(first.status).toBe(200);
	expect(await first.text()).toContain('<h1>Logged in</h1>');

	const second = await fetch(`${it.url}?code=c0de&state=right`);
	expect(second.status).toBe(400);
});

test('"a callback with a wrong or missing state is answered 400 and does not end the login"', async () => {
	await using it = await listening();

	for (const query of [
		'?code=x&state=wrong',
		'?code=x&state=righ',
		'?code=x',
		'',
		'?state=right2',
	]) {
		const {status} = await fetch(it.url + query);
		expect({query, status}).toEqual({query, status: 400});
	}

	await fetch(`${it.url}?code=c0de&state=right`);
	expect(await it.answered).toMatchObject({code: 'c0de'});
});

test('nothing of the address comes back in a page, which loads, runs and tells nothing', async () => {
	await using it = await listening();
	const injected = '<script>alert(1)</script>';

	const wrong = await fetch(`${it.url}?code=${injected}&state=wrong&error_description=${injected}`);
	const right = await fetch(`${it.url}?code=${injected}&state=right&error_description=${injected}`);

	for (const response of [wrong, right]) {
		expect(await response.text()).not.toContain('alert');
		expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';/);
		expect(response.headers.get('referrer-policy')).toBe('no-referrer');
		expect(response.headers.get('cache-control')).toBe('no-store');
	}
});

test.for([
	['POST', '/callback', 405],
	['HEAD', '/callback', 405],
	['GET', '/', 404],
	['GET', '/callback/', 404],
	['GET', '/favicon.ico', 404],
] as const)('%s %s is answered %i, though it has the state', async ([method, path, status]) => {
	await using it = await listening();
	const {port} = it.listener;

	const response = await fetch(`http://127.0.0.1:${port}${path}?code=x&state=right`, {method});

	expect(response.status).toBe(status);
});

test.for([
	'evil.example',
	'evil.example:PORT',
	'127.0.0.1',
	'127.0.0.1:1',
	'127.0.0.1.evil.example:PORT',
])('a request for the host %s, which may lead here, is not answered', async host => {
	await using it = await listening();
	const {port} = it.listener;

	const {answers} = await rawExchange(
		{port},
		`GET /callback?code=x&state=right HTTP/1.1\r\nHost: ${host.replace('PORT', String(port))}\r\n\r\n`,
	);

	expect(answers.map(({status}) => status)).toEqual([421]);
});

test('nobody listens any more once it is disposed of, and who still waits for a page gets one', async () => {
	const listener = await listenForCallback({clock, port: 0});
	const answer = listener.expect({path: '/callback', state: 'right'}, never);
	const url = `http://127.0.0.1:${listener.port}/callback?code=x&state=right`;
	const page = fetch(url);
	await answer;
	await listener[Symbol.asyncDispose]();

	expect(await (await page).text()).toContain('<h1>Not logged in</h1>');
	await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('a proxy of the person may lead here under its own name', async () => {
	await using listener = await listenForCallback({clock, port: 0, alias: 'me.example'});
	const {port} = listener;
	const ask = async (host: string) =>
		rawExchange({port}, `GET /callback HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

	expect((await ask('me.example')).answers[0]?.status).toBe(400);
	expect((await ask('you.example')).answers[0]?.status).toBe(421);
});

test('it listens on this machine alone, for "localhost" by both protocols', async () => {
	await using it = await listening({asLocalhost: true});
	const {port} = it.listener;

	const hasIpv6 = Object.values(networkInterfaces())
		.flat()
		.some(each => each?.address === '::1');
	const answers = await Promise.all(
		['127.0.0.1', hasIpv6 ? '[::1]' : '127.0.0.1', 'localhost'].map(async host =>
			fetch(`http://${host}:${port}/callback`),
		),
	);

	expect(answers.map(({status}) => status)).toEqual([400, 400, 400]);
});

test('no other address of this machine leads to it', async () => {
	await using it = await listening({asLocalhost: true});
	const others = Object.values(networkInterfaces())
		.flat()
		.filter(each => each?.family === 'IPv4' && !each.internal)
		.map(each => each?.address ?? '');

	for (const host of ['127.0.0.2', ...others]) {
		await expect(fetch(`http://${host}:${it.listener.port}/callback`)).rejects.toThrow(
			'fetch failed',
		);
	}
});

test('a port that somebody has is passed over, "all busy" is said, and one of our own is shared by the next try alone', async () => {
	const taken = createServer().listen(0, '127.0.0.1');
	await once(taken, 'listening');
	const busy = (taken.address() as {port: number}).port;
	const ports = createCallbackPorts(clock);
	try {
		expect(await ports.bind('one', {ports: [busy]})).toBeUndefined();

		await using first = await ports.bind('one', {ports: [busy, 0]});
		const wanted = {ports: [busy, first?.port ?? 0]};
		await using again = await ports.bind('one', {ports: [busy, 0]});
		expect(again?.port).toBe(first?.port);
		expect(await ports.bind('two', wanted)).toBeUndefined();
	} finally {
		taken.close();
	}
});
