import {once} from 'node:events';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {JsonObject} from '../../source/core/json.ts';
import {withoutMark} from '../helpers/forge-client.ts';
import {type Pull, pulls as usualPulls, type PullFile} from './pulls.ts';

/** A request as it came in. */
export type ForgeRequest = {
	readonly method: string;
	readonly path: string;
	readonly accept: string;
	/** The parsed JSON body; `undefined` without one. */
	// oxlint-disable-next-line typescript/no-explicit-any -- tests read it by path
	readonly body: any;
};

export type ForgeApi = AsyncDisposable & {
	/** What makes the real `gh` ask this server, and nothing else of this machine's: over a Unix socket, in plain HTTP. */
	readonly environment: Readonly<Record<string, string>>;
	readonly requests: readonly ForgeRequest[];
	/** Requests that no part of the API answers. */
	readonly strange: readonly ForgeRequest[];
	/** The comments that stand there, oldest first, without the mark of the gateway. */
	comments(): ReadonlyArray<{readonly id: number; readonly number: number; readonly text: string}>;
	/** Resolves when a request has come that is not answered. */
	readonly hung: Promise<void>;
	/** From now on these are the pull requests, from number 1 on. */
	serve(pulls: readonly Pull[]): void;
};

const token = 'ghp_tokenOfTheTest';
const repo = 'acme/api';

/** What GitHub refuses to print as one diff. @see https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request */
const bounds = {files: 300, lines: 20_000, bytes: 1_000_000};
const maxListed = 3000;

/** Answers a request about a pull request of `acme/api`. */
type Reply = {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body: unknown;
};

const tooLarge = (message: string): Reply => ({
	status: 406,
	body: {message, errors: [{resource: 'PullRequest', field: 'diff', code: 'too_large'}]},
});

const notFound: Reply = {status: 404, body: {message: 'Not Found'}};

/**
 * A code host with the REST and GraphQL API of GitHub, as far as `gh` asks it for diffs, files, comments and logins. It knows the pull requests of the table, one
 * repository and one token, and refuses everything else.
 */
export async function startForgeApi(): Promise<ForgeApi> {
	const folder = await mkdtemp(join(tmpdir(), 'svc-forge-api-'));
	const socket = join(folder, 'socket');
	const config = join(folder, 'gh');
	await mkdir(config);
	await writeFile(join(config, 'config.yml'), `http_unix_socket: ${socket}\n`);

	const requests: ForgeRequest[] = [];
	const strange: ForgeRequest[] = [];
	const comments = new Map<number, {readonly number: number; readonly body: string}>();
	const {promise: hung, resolve: hang} = Promise.withResolvers<void>();
	let pulls: readonly Pull[] = Object.values(usualPulls);

	const comment = (id: number): JsonObject => ({
		id,
		body: comments.get(id)?.body ?? '',
		html_url: `https://github.com/${repo}/issues/${comments.get(id)?.number}#issuecomment-${id}`,
	});

	const add = (number: number, body: unknown): JsonObject => {
		const id = 1000 + comments.size;
		comments.set(id, {number, body: String(body)});
		return comment(id);
	};

	const graphql = ({body}: ForgeRequest): Reply | undefined => {
		const query = String(body?.query);
		const {variables = {}} = body ?? {};
		const number = Number(variables.number ?? variables.pr_number);
		const {facts = {}} = pulls[number - 1] ?? {};
		const found = {
			__typename: 'PullRequest',
			id: `PR_${number}`,
			number,
			url: `https://github.com/${repo}/pull/${number}`,
			title: `Pull request ${number}`,
			state: facts['merged'] === true ? 'MERGED' : facts['state'] === 'closed' ? 'CLOSED' : 'OPEN',
			isDraft: facts['draft'] === true,
		};
		if (/^\s*query UserCurrent/.test(query)) {
			return {body: {data: {viewer: {login: 'svc'}}}};
		}

		if (/^\s*(?:query IssueByNumber|query PullRequestByNumber)/.test(query)) {
			return pulls[number - 1]
				? {body: {data: {repository: {hasIssuesEnabled: true, issue: found, pullRequest: found}}}}
				: {
						body: {
							data: {repository: null},
							errors: [
								{
									type: 'NOT_FOUND',
									message: `Could not resolve to an issue or pull request with the number of ${number}.`,
								},
							],
						},
					};
		}

		if (/^\s*mutation CommentCreate/.test(query)) {
			const {subjectId, body: text} = variables.input ?? {};
			const {html_url: url = ''} = add(Number(/^PR_(\d+)$/.exec(subjectId)?.[1]), text);
			return {body: {data: {addComment: {commentEdge: {node: {url}}}}}};
		}

		return undefined;
	};

	/** What goes for every repository of this name, moved or not. */
	const rest = (request: ForgeRequest): Reply | undefined => {
		const {method, path, accept, body} = request;
		const {pathname, searchParams} = new URL(path, 'https://api.github.com');
		const [, where = ''] = /^\/(?:repos\/acme\/api|repositories\/1)\/(.*)$/.exec(pathname) ?? [];
		const [, number, isFiles] = /^pulls\/(\d+)(\/files)?$/.exec(where) ?? [];
		if (method === 'GET' && number !== undefined) {
			const pull = pulls[Number(number) - 1];
			if (!pull) {
				return notFound;
			}

			if (isFiles) {
				return listed(pull.files, {path: `repositories/1/${where}`, searchParams});
			}

			return accept.includes('diff')
				? printed(pull)
				: {body: {number: Number(number), state: 'open', ...pull.facts}};
		}

		const [, about] = /^issues\/(\d+)\/comments$/.exec(where) ?? [];
		if (about !== undefined && pulls[Number(about) - 1]) {
			if (method === 'POST') {
				return {status: 201, body: add(Number(about), body?.body)};
			}

			if (method === 'GET' && !Number.isNaN(Date.parse(searchParams.get('since') ?? ''))) {
				const ids = [...comments].filter(([, {number: of}]) => of === Number(about));
				return {body: ids.map(([id]) => comment(id))};
			}
		}

		const id = Number(/^issues\/comments\/(\d+)$/.exec(where)?.[1]);
		const kept = comments.get(id);
		if (method === 'PATCH' && kept) {
			comments.set(id, {...kept, body: String(body?.body)});
			return {body: comment(id)};
		}

		return undefined;
	};

	const answer = (request: ForgeRequest, response: ServerResponse) => {
		const [, name = '', number] = /^\/repos\/([^/]+\/[^/]+)\/pulls\/(\d+)/.exec(request.path) ?? [];
		const trouble = pulls[Number(number) - 1]?.trouble;
		if (trouble === 'hang') {
			hang();
			return;
		}

		if (trouble === 'cut') {
			response.writeHead(200, {'content-length': '1000'});
			response.write('diff --git a/x b/x\n', () => response.destroy());
			return;
		}

		if (trouble === 'moved') {
			const location = `https://api.github.com${request.path.replace(`/repos/${name}`, '/repositories/1')}`;
			send(response, {status: 301, headers: {location}, body: {message: 'Moved Permanently'}});
			return;
		}

		if (trouble) {
			const {message, ...more} = trouble;
			send(response, {...more, body: {message}});
			return;
		}

		const reply =
			request.path === '/graphql'
				? graphql(request)
				: request.path === '/'
					? {body: {}, headers: {'x-oauth-scopes': 'repo, read:org'}}
					: rest(request);
		if (!reply) {
			strange.push(request);
		}

		send(response, reply ?? notFound);
	};

	const server = createServer((incoming, response) => {
		void (async () => {
			const request = await read(incoming);
			requests.push(request);
			if (incoming.headers.authorization === `token ${token}`) {
				answer(request, response);
			} else {
				send(response, {status: 401, body: {message: 'Bad credentials'}});
			}
		})();
	});
	server.listen(socket);
	await once(server, 'listening');
	return {
		environment: {
			PATH: process.env['PATH'] ?? '',
			HOME: folder,
			GH_CONFIG_DIR: config,
			GH_TOKEN: token,
		},
		requests,
		strange,
		hung,
		comments: () =>
			[...comments].map(([id, {number, body}]) => ({id, number, text: withoutMark(body)})),
		serve(some) {
			pulls = some;
		},
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await rm(folder, {recursive: true, force: true});
		},
	};
}

async function read(incoming: IncomingMessage): Promise<ForgeRequest> {
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) {
		chunks.push(chunk);
	}

	const text = Buffer.concat(chunks).toString();
	return {
		method: incoming.method ?? '',
		path: incoming.url ?? '',
		accept: incoming.headers.accept ?? '',
		body: text === '' ? undefined : JSON.parse(text),
	};
}

function send(response: ServerResponse, {status = 200, headers = {}, body}: Reply): void {
	const isText = typeof body === 'string' || Buffer.isBuffer(body);
	response.writeHead(status, {
		'content-type': isText ? 'application/vnd.github.v3.diff' : 'application/json',
		...headers,
	});
	response.end(isText ? body : JSON.stringify(body));
}

/** The diff of a pull request, or why GitHub prints none. */
function printed({files, isUnbounded}: Pull): Reply {
	const body = Buffer.concat(files.map(({printed: part}) => Buffer.from(part)));
	if (isUnbounded) {
		return {body};
	}

	if (files.length > bounds.files) {
		return tooLarge(
			`Sorry, the diff exceeded the maximum number of files (${bounds.files}). Consider using 'List pull requests files' API or locally cloning the repository instead.`,
		);
	}

	const changes = files.reduce((sum, {additions, deletions}) => sum + additions + deletions, 0);
	return changes > bounds.lines || body.length > bounds.bytes
		? tooLarge(`Sorry, the diff exceeded the maximum number of lines (${bounds.lines})`)
		: {body};
}

/** A page of the list of files. */
function listed(
	files: readonly PullFile[],
	{path, searchParams}: {readonly path: string; readonly searchParams: URLSearchParams},
): Reply {
	const perPage = Math.min(100, Number(searchParams.get('per_page') ?? 30));
	const page = Number(searchParams.get('page') ?? 1);
	const all = files.slice(0, maxListed);
	const isLast = page * perPage >= all.length;
	return {
		...(!isLast && {
			headers: {
				link: `<https://api.github.com/${path}?per_page=${perPage}&page=${page + 1}>; rel="next"`,
			},
		}),
		body: all
			.slice((page - 1) * perPage, page * perPage)
			.map(file => ({sha: '2'.repeat(40), ...file, printed: undefined})),
	};
}
