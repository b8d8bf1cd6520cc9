import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	request,
	type ServerResponse,
} from 'node:http';
import {type AddressInfo, createServer as createTcpServer} from 'node:net';
import {buffer, text} from 'node:stream/consumers';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {openForgeBroker, type RefusedRequest} from '../../../source/tools/forge-broker/broker.ts';
import {forgeInside} from '../../../source/tools/forge-broker/inside.ts';
import {need} from '../../helpers/need.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const run = promisify(execFile);
const token = 'ghs_onlyForTheCodeHost0123456789';
const json = {'Content-Type': 'application/json; charset=utf-8'};

type Seen = {
	readonly method: string;
	readonly url: string;
	readonly body: string;
	readonly authorization: string;
	readonly headers: IncomingHttpHeaders;
};

const pullRequest = {
	__typename: 'PullRequest',
	id: 'PR_1',
	number: 7,
	title: `A title with ${token} in it`,
	state: 'OPEN',
	url: 'https://github.com/acme/shop/pull/7',
	headRefName: 'topic',
	author: {login: 'ada'},
	createdAt: '2026-01-01T00:00:00Z',
	commits: {
		totalCount: 1,
		nodes: [
			{
				commit: {
					statusCheckRollup: {
						contexts: {
							nodes: [
								{__typename: 'CheckRun', name: 'build', status: 'COMPLETED', conclusion: 'SUCCESS'},
							],
							pageInfo: {hasNextPage: false},
						},
					},
				},
			},
		],
	},
};

/** What the code host answers to a query; of the token, which the broker adds, it tells everything. */
function answerQuery(body: string): unknown {
	const {query, variables} = JSON.parse(body) as {query: string; variables: {ids?: string[]}};
	if (query.includes('nodes(ids')) {
		const nodes = variables.ids?.map(id => ({repository: {id: id === 'PR_1' ? 'R_1' : 'R_2'}}));
		return {data: {repository: {id: 'R_1'}, nodes}};
	}

	const list = {totalCount: 1, nodes: [pullRequest], pageInfo: {hasNextPage: false}};
	return {
		data: {
			...(query.includes('node(') && {
				node: {...pullRequest, statusCheckRollup: pullRequest.commits},
			}),
			repository: !query.includes('repository(')
				? undefined
				: {
						hasIssuesEnabled: true,
						pullRequest: {...pullRequest, statusCheckRollup: pullRequest.commits},
						pullRequests: list,
						issues: {...list, nodes: [{...pullRequest, __typename: 'Issue', labels: {nodes: []}}]},
						issue: {...pullRequest, __typename: 'Issue'},
					},
		},
	};
}

/** The code host, with a repository of git where `root` is given. The first part of a path is its host. */
async function codeHost(root = '') {
	const seen: Seen[] = [];
	const answer = async (request_: IncomingMessage, response: ServerResponse) => {
		const {method = '', url = '', headers} = request_;
		const body = await buffer(request_);
		seen.push({
			method,
			url,
			body: body.toString(),
			authorization: `${headers.authorization}`,
			headers,
		});
		if (url.startsWith('/github.com/')) {
			await answerGit(request_, response, {root, body});
		} else if (url.endsWith('/graphql')) {
			response.writeHead(200, {...json, 'X-OAuth-Scopes': 'repo', 'X-Echo': token});
			response.end(JSON.stringify(answerQuery(body.toString())));
		} else if (url.endsWith('/tarball/main')) {
			response.writeHead(302, {Location: `https://codeload.github.com/x?token=${token}`});
			response.end('moved');
		} else if (headers.accept?.includes('diff')) {
			response.writeHead(200, {'Content-Type': 'text/plain'});
			response.end('diff --git a/a b/a\n');
		} else {
			response.writeHead(200, {
				...json,
				Link: '<https://api.github.com/repositories/17/pulls?page=2>; rel="next"',
				ETag: `"${token}"`,
				'Set-Cookie': 'a=b',
			});
			response.write(`{"echo":"${headers.authorization?.slice(0, 20)}`);
			response.end(`${headers.authorization?.slice(20)}"}`);
		}
	};

	const server = createServer((request_, response) => {
		void answer(request_, response);
	});
	server.listen({host: '127.0.0.1', port: 0});
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	return {
		seen,
		send: async (url: string, init: RequestInit) =>
			fetch(url.replace('https://', `http://127.0.0.1:${port}/`), init),
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

async function answerGit(
	{method = '', url = '', headers}: IncomingMessage,
	response: ServerResponse,
	{root, body}: {readonly root: string; readonly body: Buffer},
) {
	const {pathname, search} = new URL(url, 'http://x');
	const child = spawn('git', ['http-backend'], {
		env: {
			PATH: process.env['PATH'],
			GIT_PROJECT_ROOT: root,
			GIT_HTTP_EXPORT_ALL: '1',
			PATH_INFO: pathname.replace('/github.com', ''),
			QUERY_STRING: search.slice(1),
			REQUEST_METHOD: method,
			CONTENT_TYPE: headers['content-type'] ?? '',
			HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
			GIT_PROTOCOL: [headers['git-protocol'] ?? ''].flat().join(':'),
		},
	});
	child.stdin.end(body);
	const whole = await buffer(child.stdout);
	const end = whole.indexOf('\r\n\r\n');
	const lines = whole.toString('latin1', 0, end).split('\r\n');
	const status = lines.find(line => line.startsWith('Status: '))?.slice(8, 11);
	response.writeHead(
		Number(status ?? 200),
		Object.fromEntries(
			lines.filter(line => !line.startsWith('Status')).map(line => line.split(': ')),
		),
	);
	response.end(whole.subarray(end + 4));
}

async function broker({
	root,
	without = false,
}: {readonly root?: string; readonly without?: boolean} = {}) {
	await using stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const host = stack.use(await codeHost(root));
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
			{clock: systemClock, send: host.send},
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
