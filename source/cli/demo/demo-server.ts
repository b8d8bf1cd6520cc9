import {randomBytes, randomInt, randomUUID} from 'node:crypto';
import {createServer, type IncomingHttpHeaders, type ServerResponse} from 'node:http';
import {z} from 'zod';
import {type Clock, sleep} from '../../core/clock.ts';
import type {JsonObject} from '../../core/json.ts';
import {readBody} from '../../http/http-messages.ts';
import {listen} from '../../http/listen.ts';
import {createDemoServer} from './demo-tools.ts';
import {fillAll} from './recording.ts';
import world from './world.json' with {type: 'json'};

type Reply = {
	readonly status: number;
	/** Sent as JSON, unless it is text, which is sent as a page. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
};

type DemoRequest = {
	readonly url: URL;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
	/** Aborts when the client disconnects. */
	readonly gone: AbortSignal;
};

/** Keyed by method and path. */
type Endpoints = Readonly<Record<string, (asked: DemoRequest) => Reply | Promise<Reply>>>;

type ServerOptions = {readonly clock: Clock; readonly isHurried: () => boolean};

/** Larger than the demo's own requests; other programs of this machine might send more. */
const maxBodyBytes = 2 ** 20;

/**
 * The demo's only server, on a free port of this machine: `/v1` is the model, `/crm/mcp` and `/billing/mcp` are tool servers that require a login, and the rest is
 * the issuer for both. Its answers are in `world.json`. It stores nothing; an unreadable request gets 500. While `isHurried`, the model answers without delay.
 */
export async function startDemoServer(
	options: ServerOptions,
): Promise<AsyncDisposable & {readonly origin: string}> {
	const server = createServer((request, response) => {
		const gone = new AbortController();
		response.once('close', () => gone.abort());
		void (async () => {
			try {
				const read = await readBody(request, maxBodyBytes);
				if (read.kind !== 'whole') {
					send(response, {status: 413, headers: {connection: 'close'}});
					return;
				}

				const {method = '', headers} = request;
				const url = new URL(request.url ?? '/', origin);
				const endpoint = endpoints[`${method} ${url.pathname}`];
				const asked = {url, headers, body: read.body.toString(), gone: gone.signal};
				send(response, (await endpoint?.(asked)) ?? {status: 404});
			} catch {
				send(response, {status: 500});
			}
		})();
	});
	const origin = await listen(server, {host: '127.0.0.1', port: 0}, 'the demo');
	const endpoints: Endpoints = {
		...repliesAt(origin),
		...loginsAt(origin, options),
		'POST /v1/chat/completions': modelOf(options),
	};
	return {
		origin,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise<void>(resolve => {
				server.close(() => resolve());
			});
		},
	};
}

function send(response: ServerResponse, {status, body, headers = {}}: Reply): void {
	if (response.destroyed || response.headersSent) {
		return;
	}

	const isPage = typeof body === 'string';
	response.writeHead(status, {
		...(body !== undefined && {
			'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json',
		}),
		...headers,
	});
	response.end(isPage || body === undefined ? body : JSON.stringify(body));
}

/** Endpoints with constant answers. */
const repliesAt = (origin: string): Endpoints =>
	Object.fromEntries(
		Object.entries(fillAll(world.replies, {origin})).map(([name, reply]) => [
			name,
			// The type of the file's contents.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			() => reply as unknown as Reply,
		]),
	);

/** How long until a device code is approved, as if by a person. */
const agreesAfterMs = 12_000;

const lifetimeSeconds = 600;
const pollSeconds = 2;
const accessSeconds = 3600;

/** The most device codes that are remembered. */
const maxPending = 50;

/** Letters that are not easily confused. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

const makeUserCode = () => {
	const code = Array.from({length: 8}, () => letters[randomInt(letters.length)]).join('');
	return `${code.slice(0, 4)}-${code.slice(4)}`;
};

const refuse = (error: string): Reply => ({status: 400, body: {error}});

/** The issuer, which approves everything: a browser at once, a device code after some seconds or when its page's button is pressed; and the tools behind the logins. */
function loginsAt(origin: string, {clock}: Pick<ServerOptions, 'clock'>): Endpoints {
	/** When each code is approved, by the monotonic clock. */
	const pending = new Map<string, number>();
	const accessTokens = new Set<string>();

	const toolsAt = (path: string, answer: ReturnType<typeof createDemoServer>) => ({
		[`POST ${path}`]({headers, body}: DemoRequest): Reply {
			if (!accessTokens.has(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')) {
				const metadata = `${origin}/.well-known/oauth-protected-resource${path}`;
				return {
					status: 401,
					headers: {'www-authenticate': `Bearer resource_metadata="${metadata}"`},
				};
			}

			const [said] = answer(JSON.parse(body));
			return said ? {status: 200, body: said} : {status: 202};
		},
	});

	return {
		...toolsAt('/crm/mcp', createDemoServer('customers')),
		...toolsAt('/billing/mcp', createDemoServer('invoices')),
		'POST /register': ({body}) => ({
			status: 201,
			body: {...z.record(z.string(), z.unknown()).parse(JSON.parse(body)), client_id: randomUUID()},
		}),
		'POST /device'() {
			const [oldest] = pending.keys();
			if (pending.size >= maxPending && oldest !== undefined) {
				pending.delete(oldest);
			}

			const code = randomUUID();
			const userCode = makeUserCode();
			const verification = `${origin}/activate`;
			pending.set(code, clock.monotonic() + agreesAfterMs);
			const body = {
				device_code: code,
				user_code: userCode,
				verification_uri: verification,
				verification_uri_complete: `${verification}?user_code=${userCode}`,
				expires_in: lifetimeSeconds,
				interval: pollSeconds,
			};
			return {status: 200, body};
		},
		'POST /activate'() {
			for (const code of pending.keys()) {
				pending.set(code, clock.monotonic());
			}

			return {status: 200, body: world.agreed};
		},
		'GET /authorize'({url: {searchParams}}) {
			const target = URL.parse(searchParams.get('redirect_uri') ?? '');
			if (!target || !['127.0.0.1', 'localhost', '[::1]'].includes(target.hostname)) {
				return refuse('invalid_request');
			}

			target.searchParams.set('code', randomUUID());
			target.searchParams.set('state', searchParams.get('state') ?? '');
			return {status: 302, headers: {location: target.href}};
		},
		'POST /token'({body}) {
			const code = new URLSearchParams(body).get('device_code');
			const agreesAt = code === null ? 0 : pending.get(code);
			if (agreesAt === undefined || agreesAt > clock.monotonic()) {
				return refuse(agreesAt === undefined ? 'expired_token' : 'authorization_pending');
			}

			pending.delete(code ?? '');
			const accessToken = randomBytes(16).toString('hex');
			accessTokens.add(accessToken);
			const granted = {
				access_token: accessToken,
				token_type: 'Bearer',
				expires_in: accessSeconds,
				refresh_token: randomUUID(),
			};
			return {status: 200, body: granted};
		},
	};
}

/** The model's next answer. */
type ModelAnswer =
	| {readonly text: string}
	| {readonly tool: string; readonly args: JsonObject; readonly slowly?: boolean}
	| {readonly refusal: string};

/** The steps of a run (tool calls, then an answer), chosen by its prompt: the first match counts, and the last one matches everything. */
const scripts = world.answers.map(({about, steps}) => ({
	about: new RegExp(about, 'i'),
	// TypeScript infers no unions from JSON.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	steps: steps as unknown as readonly ModelAnswer[],
}));

/** The next step of a run, by its prompt and the number of tool results so far. */
export function nextAnswer(prompt: string, results: number): ModelAnswer {
	const {steps = []} = scripts.find(({about}) => about.test(prompt)) ?? {};
	return steps[results] ?? steps.at(-1) ?? {text: ''};
}

const thinkMs = 1300;
const slowMs = 14_000;

const requestShape = z.looseObject({
	messages: z.array(z.looseObject({role: z.string(), content: z.json().optional()})),
});

/** A rough estimate. */
const charactersPerToken = 4;

const modelOf =
	({clock, isHurried}: ServerOptions) =>
	async ({body, gone}: DemoRequest): Promise<Reply> => {
		const {messages} = requestShape.parse(JSON.parse(body));
		const prompt = messages.find(({role}) => role === 'user')?.content;
		const answer = nextAnswer(
			typeof prompt === 'string' ? prompt : JSON.stringify(prompt),
			messages.filter(({role}) => role === 'tool').length,
		);
		if (!isHurried()) {
			await sleep(clock, 'slowly' in answer ? slowMs : thinkMs, gone);
		}

		if ('refusal' in answer) {
			return {
				status: 400,
				body: {error: {message: answer.refusal, type: 'insufficient_quota'}},
			};
		}

		const asked = Math.ceil(body.length / charactersPerToken);
		const said = Math.ceil(JSON.stringify(answer).length / charactersPerToken);
		const id = randomUUID();
		const counts = {asked, said, total: asked + said};
		if ('text' in answer) {
			const message = {role: 'assistant', content: answer.text};
			return {
				status: 200,
				body: fillAll(world.completion, {id, ...counts, message, reason: 'stop'}),
			};
		}

		const call = {name: answer.tool, arguments: JSON.stringify(answer.args)};
		const calls = [{id: `call_${id}`, type: 'function', function: call}];
		const message = {role: 'assistant', content: null, tool_calls: calls};
		return {
			status: 200,
			body: fillAll(world.completion, {id, ...counts, message, reason: 'tool_calls'}),
		};
	};
