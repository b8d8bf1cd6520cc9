import type {KeyGrant, KeyUsage} from '../../source/core/api-key.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {startTestGateway, type TestGateway, type TestGatewayOptions} from './gateway.ts';

/** `key`: another than that of the API; `null`: none. */
type AskOptions = Omit<RequestInit, 'headers'> & {
	readonly key?: string | null;
	readonly headers?: Readonly<Record<string, string>>;
};

export type Api = AsyncDisposable & {
	readonly gateway: TestGateway;
	readonly url: string;
	readonly key: string;
	/** Asks `/v1/chat/completions`. */
	chat(body: unknown, init?: AskOptions): Promise<Response>;
	/** Asks `/v1/responses`. */
	respond(body: unknown, init?: AskOptions): Promise<Response>;
	/** Another key. */
	makeKey(grant: Partial<KeyGrant>): Promise<string>;
	ask(path: string, init?: AskOptions): Promise<Response>;
};

/** A gateway that serves the chat API on a free port, and a key for it. */
export async function startApi(
	api: JsonObject = {},
	{
		config = {},
		...options
	}: Omit<TestGatewayOptions, 'config'> & {readonly config?: JsonObject} = {},
): Promise<Api> {
	await using stack = new AsyncDisposableStack();
	const gateway = stack.use(
		await startTestGateway({
			...options,
			config: {...config, api: {enabled: true, port: 0, ...api}},
		}),
	);
	const state = await gateway.until(({api: now}) => now?.state === 'listening');
	const url = state.api?.state === 'listening' ? state.api.url : '';
	const makeKey = async (grant: Partial<KeyGrant>) => {
		const made = await gateway.port.createKey({
			name: 'test',
			kind: 'live',
			endpoints: ['chat', 'responses', 'models'],
			models: ['*'],
			agents: true,
			...grant,
		});
		return made.secret;
	};
	const secret = await makeKey({});
	const ask: Api['ask'] = async (path, {key = secret, headers, ...init} = {}) =>
		fetch(`${url}${path}`, {
			...init,
			// A connection that stays open keeps the gateway from ending for a second.
			headers: {
				connection: 'close',
				...(key !== null && {authorization: `Bearer ${key}`}),
				...headers,
			},
		});
	const post =
		(path: string): Api['chat'] =>
		async (body, {headers, ...init} = {}) =>
			ask(path, {
				method: 'POST',
				body: typeof body === 'string' ? body : JSON.stringify(body),
				...init,
				headers: {'content-type': 'application/json', ...headers},
			});
	const opened = stack.move();
	return {
		gateway,
		url,
		key: secret,
		ask,
		makeKey,
		chat: post('/v1/chat/completions'),
		respond: post('/v1/responses'),
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}

/** What the first key of an API has used, when so many of its requests have ended. */
export async function usageOf({gateway}: Api, requests: number): Promise<KeyUsage> {
	for (;;) {
		const [key] = await gateway.port.listKeys();
		if (key && key.usage.all.requests >= requests) {
			return key.usage.all;
		}

		await new Promise(setImmediate);
	}
}
