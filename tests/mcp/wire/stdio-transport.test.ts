// @module-tag slow
import {stat} from 'node:fs/promises';
import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {isGone, until} from '../../helpers/processes.ts';
import {everythingServer, ownServer, stdioServer} from '../servers/stdio-server.ts';
import {openTransports} from './open-transports.ts';

test('tries the modern era on the process that it has', async () => {
	await using transports = await openTransports();
	await using server = await transports.connect(everythingServer(), {mode: 'auto'});

	expect(server.client.getProtocolEra()).toBe('legacy');
	expect(await server.call('echo', {message: 'hello'})).toBe('Echo: hello');
	// Beside the connection, which does not wait for it.
	await expect
		.poll(async () =>
			JSON.parse(await transports.home.read('mcp-processes.json').catch(() => '{}')),
		)
		.toMatchObject({processes: [expect.anything()]});
});

test('stdio servers get PATH HOME USER LOGNAME LANG LC_* TERM SHELL TMPDIR XDG_*, proxies and certificates of the process, and their own env', async () => {
	const passed = {
		PATH: process.env['PATH'] ?? '',
		HOME: '/home/ada',
		USER: 'ada',
		LOGNAME: 'ada',
		LANG: 'C',
		LC_TIME: 'C',
		TERM: 'xterm',
		SHELL: '/bin/sh',
		TMPDIR: '/tmp',
		XDG_CACHE_HOME: '/home/ada/.cache',
		// What it takes to leave a network.
		HTTP_PROXY: 'http://a:1',
		https_proxy: 'http://b:2',
		NO_PROXY: 'c',
		all_proxy: 'http://d:3',
		SSL_CERT_FILE: '/e.pem',
		SSL_CERT_DIR: '/f',
		NODE_EXTRA_CA_CERTS: '/dev/null',
		REQUESTS_CA_BUNDLE: '/h.pem',
		CURL_CA_BUNDLE: '/i.pem',
	};
	const kept = {
		HTTPS_PROXY_PASSWORD: 'secret',
		SSL_CERT_FILE_X: '',

		SECRET_X: 'secret',
		NODE_OPTIONS: '',
		LANGUAGE: 'de',
		PATHS: '',
		LC_ALL: '() { :; }',
	};
	await using transports = await openTransports({environment: {...passed, ...kept}});
	await using server = await transports.connect(
		ownServer('plain', {env: {TOKEN: 'abc', TERM: 'dumb'}}),
	);

	expect(JSON.parse(await server.call('about')).env).toEqual({
		...passed,
		TERM: 'dumb',
		TOKEN: 'abc',
	});
});

test('arguments reach the server as they are, without a shell', async () => {
	await using transports = await openTransports();
	await using server = await transports.connect(ownServer('plain', {extra: '$(id) "x" ; \'y\' *'}));

	expect(JSON.parse(await server.call('about')).args).toEqual(['plain', '$(id) "x" ; \'y\' *']);
});

test('the command is looked up in the PATH of the server', async () => {
	await using transports = await openTransports({environment: {PATH: '/nowhere'}});
	const [, script = '', manner = ''] = [process.execPath, ...ownServer('plain').endpoint.args];
	const folder = process.execPath.replace(/\/node$/, '');
	await using server = await transports.connect(
		stdioServer('node', [script, manner], {PATH: folder}),
	);

	expect(await server.call('echo', {message: 'found'})).toBe('found');
});

test('lines that are no messages are skipped and counted', async () => {
	await using transports = await openTransports();
	{
		await using server = await transports.connect(ownServer('noisy'));
		expect(await server.call('echo', {message: 'hello'})).toBe('hello');
	}

	expect(transports.records).toContainEqual(
		expect.objectContaining({fields: {server: 'crm', lines: 3}}),
	);
});

test('standard error goes to a private log: time, server, cleaned, without colours, redacted', async () => {
	await using transports = await openTransports();
	await using server = await transports.connect(ownServer('noisy', {extra: 'hunter2-hunter2'}), {
		secrets: ['hunter2-hunter2'],
	});
	await until(() => server.lastStderr() !== undefined);
	await transports.transports[Symbol.asyncDispose]();

	expect(server.lastStderr()).toBe('red with [redacted]');
	expect(await transports.home.read('mcp-stderr.log')).toMatch(
		/^\d{4}-\d\d-\d\dT[\d:.]{12}Z \[crm\] red with \[redacted\]\n$/,
	);
	expect((await stat(transports.home.file('mcp-stderr.log'))).mode & 0o777).toBe(0o600);
});

test('a server that will not end is ended with all its children, and forgotten', async () => {
	await using transports = await openTransports();
	const server = await transports.connect(ownServer('stubborn'));
	const {pid, child} = JSON.parse(await server.call('about'));
	await server[Symbol.asyncDispose]();

	expect(isGone(pid)).toBe(true);
	expect(isGone(child)).toBe(true);
	expect(server.exit()).toEqual({code: null, signal: 'SIGKILL'});
	expect(server.losses()).toBe(0);
	await transports.transports[Symbol.asyncDispose]();
	expect(JSON.parse(await transports.home.read('mcp-processes.json')).processes).toEqual([]);
});

test('an abort ends the server', async () => {
	await using transports = await openTransports();
	const controller = new AbortController();
	const server = await transports.connect(ownServer('plain'), {signal: controller.signal});
	const {pid} = JSON.parse(await server.call('about'));
	controller.abort();
	await until(() => isGone(pid));

	expect(server.explain(new Error('whatever')).message).toBe('The connection was cancelled');
});

test('calls under way fail when the server exits, though a grandchild holds the pipes', async () => {
	await using transports = await openTransports();
	await using server = await transports.connect(ownServer('held'));
	const {child} = JSON.parse(await server.call('about'));
	const failure = await server.call('die').catch((error: unknown) => server.explain(error));

	expect(failure).toEqual({message: 'It exited with code 7', kind: 'stream-lost'});
	expect(server.exit()).toEqual({code: 7, signal: null});
	expect(server.losses()).toBe(1);
	await expect(server.transport.send({jsonrpc: '2.0', method: 'x'})).rejects.toThrow('not running');
	await until(() => isGone(child));
});

test('an answer that a server wrote before it exited still arrives', async () => {
	await using transports = await openTransports();
	await using server = await transports.connect(ownServer('plain'));

	expect(await server.call('die-after')).toBe('last words');
});

test('a server that is killed says so', async () => {
	await using transports = await openTransports();
	await using server = await transports.connect(ownServer('plain'));
	const {pid} = JSON.parse(await server.call('about'));
	const call = server.call('hang').catch((error: unknown) => server.explain(error));
	process.kill(pid, 'SIGKILL');

	expect(await call).toEqual({message: 'It was ended by SIGKILL', kind: 'stream-lost'});
});

test.for([
	[
		ownServer('crash', {extra: 'hunter2-hunter2'}),
		'It exited with code 3: cannot open the database with [redacted]',
		'passing',
	],
	[
		stdioServer('no-such-program'),
		'Command "no-such-program" was not found in its PATH',
		'permanent',
	],
	[stdioServer('./no-such-program'), 'Command "./no-such-program" is not there', 'permanent'],
	[stdioServer('/tmp'), 'Command "/tmp" may not be executed', 'permanent'],
	[stdioServer('true', ['\0']), 'Its command, args or env hold a NUL character', 'permanent'],
	[ownServer('endless'), 'The server sent a message of more than 10 MB', 'passing'],
] as const)('$1: fails to connect', async ([server, message, kind]) => {
	await using transports = await openTransports();
	await using opened = await transports.open(server, {secrets: ['hunter2-hunter2']});
	const {Client} = await import('@modelcontextprotocol/client');
	const failure = await new Client({name: 'test', version: '1'})
		.connect(opened.transport)
		.catch((error: unknown) => opened.explain(error));

	expect(failure).toEqual({message, kind});
});

test('a message of more than 10 MB ends the connection with a reason', async () => {
	await using transports = await openTransports();
	await using server = await transports.connect(ownServer('plain'));
	const failure = await server.call('huge').catch((error: unknown) => server.explain(error));

	expect(failure).toEqual({
		message: 'The server sent a message of more than 10 MB',
		kind: 'stream-lost',
	});
});

test('what a server does not read ends with the connection', async () => {
	await using transports = await openTransports();
	const server = await transports.open(ownServer('deaf'));
	await server.transport.start();
	const message = {jsonrpc: '2.0', method: 'x', params: {text: 'x'.repeat(1024 * 1024)}} as const;
	const sent = server.transport.send(message);
	await Promise.all([
		expect(sent).rejects.toThrow(/The connection has ended|closed its input/),
		server[Symbol.asyncDispose](),
	]);
});

test('a server that asks without end and does not read gets no answer beyond 1,000 that wait', async () => {
	await using transports = await openTransports();
	const server = await transports.open(ownServer('deaf'));
	await server.transport.start();
	const send = async (text: string) =>
		server.transport.send({jsonrpc: '2.0', id: 1, result: {text}});
	const waiting = [send('x'.repeat(1024 * 1024)), ...Array.from({length: 999}, () => send('x'))];
	await expect(send('x')).rejects.toThrow('The server does not read what it is sent');
	await Promise.all([Promise.allSettled(waiting), server[Symbol.asyncDispose]()]);

	await expect(send('x')).rejects.toThrow('The server is not running');
});

test('what a server says while its connection ends is not looked at', async () => {
	await using transports = await openTransports();
	const server = await transports.open(
		stdioServer(process.execPath, [
			'-e',
			`process.on('SIGTERM', () => {});
			setInterval(() => console.log('{"jsonrpc":"2.0","id":1,"method":"roots/list"}'), 1);`,
		]),
	);
	let heard = 0;
	Object.assign(server.transport, {
		onmessage() {
			heard += 1;
		},
	});
	await server.transport.start();
	await until(() => heard > 0);
	const ended = server[Symbol.asyncDispose]();
	const heardBefore = heard;
	await ended;

	expect(heard).toBe(heardBefore);
});

test('a server that never stops talking is heard one chunk in a turn, so that others have theirs', async () => {
	await using transports = await openTransports();
	await using server = await transports.open(
		stdioServer(process.execPath, [
			'-e',
			`const line = '{"jsonrpc":"2.0","method":"' + 'x'.repeat(1000) + '"}\\n';
			const write = () => {
				while (process.stdout.write(line.repeat(1000))) {}
				process.stdout.once('drain', write);
			};
			write();`,
		]),
	);
	let heard = 0;
	let inTurn = 0;
	let mostInTurn = 0;
	Object.assign(server.transport, {
		onmessage() {
			heard += 1;
			inTurn += 1;
		},
	});
	await server.transport.start();
	// oxlint-disable-next-line no-unmodified-loop-condition -- what is heard counts
	while (heard <= 2000) {
		await setImmediate();
		mostInTurn = Math.max(mostInTurn, inTurn);
		inTurn = 0;
	}

	// A chunk has at most 64 KiB.
	expect(mostInTurn).toBeLessThanOrEqual(66);
});
