import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {createServer as createHttpServer, type IncomingMessage, request} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {type AddressInfo, connect, createServer as createTcpServer} from 'node:net';
import {text} from 'node:stream/consumers';
import {createSecureContext} from 'node:tls';
import {promisify} from 'node:util';
import {expect, test, type TestContext} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {createLogger, silentLogger} from '../../../source/core/log.ts';
import {openForgeBroker, type RefusedRequest} from '../../../source/tools/forge-broker/broker.ts';
import {forgeInside, openForge} from '../../../source/tools/terminal/open-forge.ts';
import {need} from '../../helpers/need.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {makeCertificates} from '../../mcp/servers/certificates.ts';
import {openCodeHost, token} from './open-code-host.ts';

const run = promisify(execFile);

async function broker({
	root,
	without = false,
}: {readonly root?: string; readonly without?: boolean} = {}) {
	await using stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const host = stack.use(await openCodeHost(root));
	const refused: RefusedRequest[] = [];
	const {socket} = stack.use(
		await openForgeBroker(
			{
				folder: home.file('run'),
				...(!without && {repository: {host: 'github.com', owner: 'acme', name: 'shop'}}),
				token,
				signal: new AbortController().signal,
				onRefused(one) {
					refused.push(one);
				},
			},
			{clock: systemClock, log: silentLogger, send: host.send},
		),
	);
	const ask = async (
		path: string,
		{
			method = 'GET',
			body = '',
			headers = {},
		}: {method?: string; body?: string; headers?: Record<string, string>} = {},
	) => {
		const outgoing = request({
			socketPath: socket,
			path,
			method,
			headers: {host: 'api.github.com', authorization: 'token placeholder', ...headers},
		});
		outgoing.end(body);
		const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
		return {status: answer.statusCode, headers: answer.headers, body: await text(answer)};
	};

	/** Configuration and environment as they are inside, with the socket of the broker and `port`. */
	const inside = async (port = 1) => {
		const {files, environment} = forgeInside('github.com', {
			socket,
			folder: home.file('gh'),
			port,
		});
		for (const [name, content] of Object.entries(files)) {
			await home.write(`gh/${name}`, content);
		}

		return {
			...environment,
			PATH: process.env['PATH'],
			HOME: home.path,
			// gh keeps some answers in it.
			TMPDIR: home.path,
			GIT_CONFIG_NOSYSTEM: '1',
		};
	};

	const owned = stack.move();
	return {
		...host,
		home,
		socket,
		refused,
		ask,
		inside,
		async gh(...args: readonly string[]) {
			try {
				const {stdout} = await run('gh', [...args], {cwd: home.path, env: await inside()});
				return {code: 0, output: stdout};
			} catch (error) {
				const {code, stdout, stderr} = error as {code: number; stdout: string; stderr: string};
				return {code, output: stdout + stderr};
			}
		},
		[Symbol.asyncDispose]: async () => owned.disposeAsync(),
	};
}

test.for(['000 X', '099 X', '101 X', '999 X'])(
	'a code host that answers with the status %s ends neither the broker nor the request',
	async status => {
		await using home = await temporaryHome();
		const host = createTcpServer(socket => {
			socket.on('error', () => {});
			socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));
		});
		host.listen(0, '127.0.0.1');
		await once(host, 'listening');
		const {port} = host.address() as AddressInfo;
		await using opened = await openForgeBroker(
			{
				folder: home.file('run'),
				repository: {host: 'github.com', owner: 'acme', name: 'shop'},
				token,
				signal: new AbortController().signal,
				onRefused() {},
			},
			{
				clock: systemClock,
				log: silentLogger,
				send: async (_, init) => fetch(`http://127.0.0.1:${port}/`, init),
			},
		);

		for (let index = 0; index < 2; index++) {
			const outgoing = request({
				socketPath: opened.socket,
				path: '/repos/acme/shop',
				headers: {host: 'api.github.com'},
				agent: false,
			});
			outgoing.end();
			const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
			expect(answer.resume().statusCode).toBe(status === '999 X' ? 999 : 502);
		}

		host.close();
		await once(host, 'close');
	},
);

test('a run that is aborted while its broker opens leaves no socket', async () => {
	await using home = await temporaryHome();
	const abort = new AbortController();
	const opening = openForgeBroker(
		{folder: home.file('run'), token, signal: abort.signal, onRefused() {}},
		{clock: systemClock, log: silentLogger, send: async () => new Response()},
	);
	abort.abort();
	await using opened = await opening;

	const client = connect(opened.socket);
	await expect(once(client, 'connect')).rejects.toThrow('ENOENT');
});

test('what may be asked is asked with the token, which is in no answer', async () => {
	await using forge = await broker();

	const answer = await forge.ask('/repos/ACME/shop/pulls?state=all');

	expect(forge.seen).toMatchObject([
		{
			method: 'GET',
			url: '/api.github.com/repos/acme/shop/pulls?state=all',
			authorization: `token ${token}`,
		},
	]);
	expect(answer.status).toBe(200);
	expect(answer.body).toBe('{"echo":"token [redacted]"}');
	expect(JSON.stringify(answer.headers)).not.toContain(token);
	expect(answer.headers).not.toHaveProperty('set-cookie');
	expect(answer.headers['link']).toBe(
		'<https://api.github.com/repos/acme/shop/pulls?page=2>; rel="next"',
	);
});

test.for([
	['/user', {}],
	['/repos/other/shop', {}],
	['/repos/acme/shop/pulls', {method: 'POST', body: '{}'}],
	['/repos/acme/shop', {headers: {host: 'evil.example'}}],
	['/graphql', {method: 'POST', body: '{"query":"{viewer{login}}"}'}],
	[
		'/graphql',
		{method: 'POST', body: '{"query":"query{node(id:\\"PR_2\\"){...on PullRequest{title}}}"}'},
	],
	['/acme/shop.git/git-receive-pack', {method: 'POST', headers: {host: '127.0.0.1:1'}}],
] as const)('%s %j is 403, says why, and is told', async ([path, options]) => {
	await using forge = await broker();

	const answer = await forge.ask(path, options);

	expect(answer.status).toBe(403);
	expect(answer.body).toContain('The broker of the forge did not send this request: ');
	expect(forge.refused).toMatchObject([{path}]);
	// Of a node the code host is asked whose it is, and nothing else.
	expect(forge.seen.filter(({body}) => !body.includes('nodes(ids'))).toEqual([]);
});

test('without a repository everything is 403', async () => {
	await using forge = await broker({without: true});

	expect(await forge.ask('/repos/acme/shop')).toMatchObject({status: 403});
	expect(await forge.ask('/graphql', {method: 'POST', body: '{}'})).toMatchObject({status: 403});
	expect(forge.seen).toEqual([]);
});

test('a redirect is not followed, and where it leads is not told', async () => {
	await using forge = await broker();

	const answer = await forge.ask('/repos/acme/shop/tarball/main');

	expect(answer).toMatchObject({status: 403});
	expect(JSON.stringify(answer)).not.toMatch(/codeload|ghs_/);
});

test('a query is read upstream as it was judged, whatever its client says of it', async () => {
	await using forge = await broker();

	await forge.ask('/graphql', {
		method: 'POST',
		body: '{"query":"{repository(owner:\\"acme\\",name:\\"shop\\"){id}}"}',
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			'content-encoding': 'gzip',
			'x-http-method-override': 'PUT',
			cookie: 'a=b',
		},
	});

	expect(forge.seen[0]?.headers).toMatchObject({'content-type': 'application/json'});
	expect(Object.keys(forge.seen[0]?.headers ?? {})).not.toEqual(
		expect.arrayContaining([expect.stringMatching(/content-encoding|override|cookie/)]),
	);
});

test('a body that is too long is 413', async () => {
	await using forge = await broker();

	expect(await forge.ask('/graphql', {method: 'POST', body: ' '.repeat(300_000)})).toMatchObject({
		status: 413,
	});
});

test('gh reads the pull requests and issues of its repository, and nothing else', async context => {
	need('gh', context);
	await using forge = await broker();

	const repo = ['--repo', 'acme/shop'];
	expect(await forge.gh('pr', 'view', '7', ...repo)).toMatchObject({
		code: 0,
		output: expect.stringContaining('A title with [redacted] in it'),
	});
	expect(await forge.gh('pr', 'diff', '7', ...repo)).toEqual({
		code: 0,
		output: 'diff --git a/a b/a\n',
	});
	expect(await forge.gh('pr', 'checks', '7', ...repo)).toMatchObject({
		code: 0,
		output: expect.stringContaining('build\tpass'),
	});
	expect(await forge.gh('pr', 'list', ...repo)).toMatchObject({
		code: 0,
		output: expect.stringContaining('7\tA title'),
	});
	expect(await forge.gh('issue', 'list', ...repo)).toMatchObject({code: 0});
	expect(await forge.gh('issue', 'view', '7', ...repo)).toMatchObject({code: 0});
	expect(await forge.gh('api', 'repos/acme/shop/pulls/7')).toMatchObject({code: 0});
	expect(forge.refused).toEqual([]);
	expect(forge.seen.every(({authorization}) => authorization === `token ${token}`)).toBe(true);

	const before = forge.seen.length;
	for (const args of [
		['pr', 'view', '7', '--repo', 'other/shop'],
		['pr', 'comment', '7', ...repo, '--body', 'x'],
		['pr', 'merge', '7', ...repo, '--merge'],
		['pr', 'list', ...repo, '--search', 'x'],
		['api', 'user'],
		['api', 'repos/acme/shop/issues', '-f', 'title=x'],
		['api', 'graphql', '-f', 'query={viewer{login}}'],
	]) {
		const {code, output} = await forge.gh(...args);
		expect([args.join(' '), code]).toEqual([args.join(' '), 1]);
		expect(output).toMatch(/The broker of the forge did not send this request|HTTP 403/);
	}

	expect(
		forge.seen
			.slice(before)
			.filter(({method, url}) => method !== 'GET' && !url.endsWith('/graphql')),
	).toEqual([]);
	expect(forge.refused.length).toBeGreaterThan(5);
}, 60_000);

/** A port of 127.0.0.1 that nothing listens on. */
async function freePort(): Promise<number> {
	const server = createTcpServer();
	server.listen({host: '127.0.0.1', port: 0});
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}

test('git clones and fetches its repository through the forwarder, and neither pushes nor clones another', async context => {
	need('git', context);
	await using home = await temporaryHome({'work/a.txt': 'hello\n'});
	const bare = home.file('acme/shop.git');
	const git = async (...args: readonly string[]) =>
		run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
			cwd: home.file('work'),
		});
	await git('init', '-q', '-b', 'main');
	await git('add', '.');
	await git('commit', '-qm', 'one');
	await git('clone', '-q', '--bare', '.', bare);
	await git('clone', '-q', '--bare', '.', home.file('acme/other.git'));
	await using forge = await broker({root: home.path});
	const port = await freePort();
	const env = await forge.inside(port);
	const forwarded = async (cwd: string, ...args: readonly string[]) => {
		const child = spawn(
			process.execPath,
			[
				'source/tools/sandbox/forward.ts',
				`${port}=${forge.socket}`,
				'--',
				'git',
				'-C',
				cwd,
				...args,
			],
			{env, stdio: ['ignore', 'ignore', 'pipe']},
		);
		const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
		return {code: code as number, output};
	};

	const clone = await forwarded(home.path, 'clone', '-q', 'https://github.com/acme/shop', 'copy');
	expect([clone, await home.read('copy/a.txt')]).toEqual([{code: 0, output: ''}, 'hello\n']);
	expect(
		await forwarded(home.file('copy'), 'fetch', '-q', 'git@github.com:acme/shop.git'),
	).toMatchObject({code: 0});
	const other = await forwarded(home.path, 'clone', '-q', 'https://github.com/acme/other', 'other');
	expect(other).toMatchObject({code: 128, output: expect.stringContaining('it is not acme/shop')});
	const push = await forwarded(home.file('copy'), 'push', '-q', 'origin', 'HEAD:refs/heads/new');
	expect(push.code).not.toBe(0);
	expect(forge.seen.every(({url}) => url.startsWith('/github.com/acme/shop.git/'))).toBe(true);
	expect(forge.seen[0]?.authorization).toBe(
		`Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
	);
	expect(await home.read('copy/.git/config')).not.toContain('ghs_');
}, 60_000);

/** A code host that is reached by TLS, with a certificate of an authority that is not known; and a proxy, by which `site.example` leads there. */
async function privateHost(context: Pick<TestContext, 'skip'>) {
	need('openssl', context);
	await using stack = new AsyncDisposableStack();
	const certificates = stack.use(await makeCertificates());
	const ca = await readFile(certificates.file('ca.pem'), 'utf8');
	const host = createTlsServer(certificates.server, ({headers}, response) => {
		response.end(`asked by ${headers.authorization?.split(' ')[0]}`);
	});
	const asked: string[] = [];
	const logged: string[] = [];
	const proxy = createHttpServer();
	proxy.on('connect', ({url = ''}, client) => {
		asked.push(url);
		const line = connect({host: '127.0.0.1', port});
		client.write('HTTP/1.1 200 Connection established\r\n\r\n');
		line.pipe(client).pipe(line);
		line.on('error', () => client.destroy());
		client.on('error', () => line.destroy());
	});
	for (const server of [host, proxy]) {
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		stack.defer(() => {
			server.close();
			server.closeAllConnections();
		});
	}

	const {port} = host.address() as AddressInfo;
	const {port: proxyPort} = proxy.address() as AddressInfo;
	const owned = stack.move();
	return {
		port,
		/** What the proxy was asked for. */
		asked,
		/** Lines of the log. */
		logged,
		/** Status of a `git fetch` that begins, in a run. */
		async fetchOf(name: string, {knows}: {readonly knows: boolean}) {
			await using home = await temporaryHome();
			await using ofRun = new AsyncDisposableStack();
			const way = await openForge(
				{
					forge: {cli: 'gh', host: name, repository: 'acme/shop', token: async () => token},
					profile: {
						environment: {HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`},
						svcHome: home.path,
					},
					note() {},
					signal: new AbortController().signal,
				},
				{
					clock: systemClock,
					log: createLogger({
						clock: systemClock,
						redact: line => line,
						write: ({message, ...more}) => logged.push(`${message} ${JSON.stringify(more)}`),
					}),
					secureContext: () => createSecureContext(knows ? {ca} : {}),
				},
				ofRun,
			);
			const outgoing = request({
				socketPath: way.socket.outside,
				path: '/acme/shop.git/info/refs?service=git-upload-pack',
				headers: {host: '127.0.0.1'},
				agent: false,
			});
			outgoing.end();
			const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
			return `${answer.statusCode} ${await text(answer)}`;
		},
		[Symbol.asyncDispose]: async () => owned.disposeAsync(),
	};
}

test('a code host of a private authority is reached where `tls.ca` knows it, and not otherwise', async context => {
	await using host = await privateHost(context);

	expect(await host.fetchOf(`localhost:${host.port}`, {knows: true})).toBe('200 asked by Basic');
	expect(await host.fetchOf(`localhost:${host.port}`, {knows: false})).toMatch(/^502 /);
	expect(host.asked).toEqual([]);
	expect(host.logged).toEqual([
		expect.stringMatching(/^The broker of the forge got no answer .*certificate/),
	]);
});

test('a code host is reached through the proxy that the profile names', async context => {
	await using host = await privateHost(context);

	expect(await host.fetchOf('site.example', {knows: true})).toBe('200 asked by Basic');
	expect(host.asked).toEqual(['site.example:443']);
});
