import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';
import type {AddressInfo} from 'node:net';
import {buffer} from 'node:stream/consumers';

/** What the broker adds. */
export const token = 'ghs_onlyForTheCodeHost0123456789';
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
export async function openCodeHost(root = '') {
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

/** Answers a request of git for a repository below `root`. */
export async function answerGit(
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
	// It may have answered without reading.
	child.stdin.on('error', () => {});
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
