import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {Agent, request as httpRequest, type IncomingMessage} from 'node:http';
import {text} from 'node:stream/consumers';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {createApiServer} from '../../source/api/api-server.ts';
import {chatEndpoint} from '../../source/api/chat/chat-endpoint.ts';
import type {ChatWorld} from '../../source/api/chat/chat-world.ts';
import {busy} from '../../source/api/http/api-error.ts';
import type {KeyDesk} from '../../source/api/keys/desk.ts';
import {failureStatuses, sessionRefusals} from '../../source/api/shapes/failure.ts';
import {SvcError} from '../../source/core/errors.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {silentLogger} from '../../source/core/log.ts';
import {sendJson} from '../helpers/chat-upstream.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {advanceUntil} from '../helpers/gateway.ts';
import {messages, startRelay, type Relay} from '../helpers/relay.ts';
import {faultsOf} from './chat-oracle.ts';

let relay: Relay;

beforeAll(async () => {
	relay = await startRelay(({body, response}) => {
		const {status, code} = JSON.parse(body.messages[0].content as string) as {
			status: number;
			code?: string;
		};
		sendJson(response, status, {error: {message: 'Says why', code}});
	});
});

afterAll(async () => {
	await relay[Symbol.asyncDispose]();
});

type Asked = {
	readonly status: number | undefined;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly text: string;
};

const read = async (response: Response): Promise<Asked> => ({
	status: response.status,
	headers: Object.fromEntries(response.headers),
	text: await response.text(),
});

const good = {model: 'fast', messages};

/** What is answered to that body. */
const chat = (body: unknown, key?: string | null) => async () =>
	read(await relay.api.chat(body, key === undefined ? {} : {key}));

/** What is answered when the model's server answers that. */
const upstream = (status: number, code?: string) =>
	chat({...good, messages: [{role: 'user', content: JSON.stringify({status, code})}]});

type Grant = Parameters<Relay['api']['makeKey']>[0];

const withKey =
	(grant: Grant, body: unknown, times: number = 1) =>
	async () => {
		const key = await relay.api.makeKey(grant);
		for (let time = 1; time < times; time++) {
			await (await relay.api.chat(body, {key})).text();
		}

		return read(await relay.api.chat(body, {key}));
	};

const key = {
	id: 'key_1',
	name: 'test',
	kind: 'live',
	endpoints: ['chat'],
	models: ['*'],
	agents: true,
};

/** A server whose agent does that, and everything of whose world is there but for the agent. */
async function startTurns(turn: ChatWorld['turn']) {
	const clock = createFakeClock(1_700_000_000_000);
	const model = {agent: true, relay: false, tools: true, skills: []};
	const server = createApiServer(
		{
			clock,
			log: silentLogger,
			keys: {
				authenticate: () => ({key}),
				admit: () => ({
					kind: 'admitted',
					permit: {signal: new AbortController().signal, settle() {}, [Symbol.dispose]() {}},
				}),
				left: () => undefined,
			} as unknown as KeyDesk,
			endpoints: [
				chatEndpoint({
					clock,
					log: silentLogger,
					redact: said => said,
					models: () => new Map([['agent', model]]),
					upstreamOf: async () => undefined,
					// No request names one.
					sessions: {} as ChatWorld['sessions'],
					turn,
					answerOffline() {
						throw new Error('it is asked nothing');
					},
				}),
			],
			limits: () => ({maxBodyBytes: 4096, corsOrigins: []}),
		},
		{host: '127.0.0.1', port: 0},
	);
	const {url} = await server.listen();
	const agent = new Agent({keepAlive: true});
	const begin = async (more: JsonObject = {}): Promise<IncomingMessage> => {
		const asking = httpRequest(`${url}/v1/chat/completions`, {
			method: 'POST',
			agent,
			headers: {authorization: 'Bearer x'},
		});
		asking.end(JSON.stringify({model: 'agent', messages, ...more}));
		const [response] = (await once(asking, 'response')) as [IncomingMessage];
		return response;
	};
	return {
		server,
		clock,
		begin,
		async ask(): Promise<Asked> {
			const response = await begin();
			const {statusCode: status, headers} = response;
			return {status, headers, text: await text(response)};
		},
		async [Symbol.asyncDispose]() {
			agent.destroy();
			await advanceUntil(server.close(), clock);
		},
	};
}

const failing = (error: Error) => async () => {
	await using turns = await startTurns(async () => {
		throw error;
	});
	const said = await turns.ask();
	return said;
};

const coded = (code: ConstructorParameters<typeof SvcError>[0]) =>
	failing(new SvcError(code, 'It cannot'));

/** Every row of the manual's table, and how one gets there. */
const rows: ReadonlyArray<readonly [status: number, code: string, ask: () => Promise<Asked>]> = [
	[400, 'invalid_json', chat('{"model": ')],
	[400, 'missing_required_parameter', chat({})],
	[400, 'invalid_type', chat({...good, messages: [{role: 'user', content: 7}]})],
	[400, 'out_of_range', chat({...good, temperature: 9})],
	[400, 'unsupported_value', chat({...good, n: 2})],
	[400, 'upstream_rejected', upstream(400)],
	[400, 'session_full', coded('session_full')],
	[401, 'missing_api_key', chat(good, null)],
	[401, 'invalid_api_key', chat('{', 'svc_live_nothing')],
	[403, 'endpoint_access_denied', withKey({endpoints: ['models']}, good)],
	[403, 'model_access_denied', withKey({models: ['small']}, good)],
	[404, 'unknown_url', async () => read(await relay.api.ask('/v1/nothing'))],
	[404, 'model_not_found', withKey({models: ['small']}, {...good, model: 'none'})],
	[404, 'session_not_found', coded('session_not_found')],
	[405, 'method_not_allowed', async () => read(await relay.api.ask('/v1/chat/completions'))],
	[409, 'session_busy', coded('session_busy')],
	[413, 'request_too_large', chat({...good, user: 'x'.repeat(10_485_760)})],
	[429, 'rate_limit_exceeded', withKey({rpm: 1}, good, 2)],
	[429, 'budget_exceeded', withKey({budget: {tokens: 1, per: 'day'}}, good)],
	[500, 'internal_error', failing(new TypeError('secret of the house'))],
	[500, 'step_limit', coded('step_limit')],
	[502, 'upstream_error', upstream(500)],
	[503, 'upstream_error', upstream(429)],
	[503, 'model_misconfigured', coded('model_misconfigured')],
	[503, 'model_not_found', coded('model_not_found')],
	[503, 'busy', failing(busy())],
	[503, 'run_cancelled', coded('run_cancelled')],
	[503, 'journal_unavailable', coded('journal_unavailable')],
	[503, 'stopping', stopped],
	[504, 'upstream_timeout', upstream(504)],
	[504, 'run_timeout', coded('run_timeout')],
];

/** A second request while the first is under way and the gateway stops. */
async function stopped(): Promise<Asked> {
	const {promise: isAsked, resolve: asked} = Promise.withResolvers<void>();
	const {promise: answer, resolve: say} = Promise.withResolvers<void>();
	await using turns = await startTurns(async () => {
		asked();
		await answer;
		throw busy();
	});
	const first = turns.ask();
	await isAsked;
	const closing = turns.server.close();
	const second = await turns.ask();
	say();
	await first;
	await advanceUntil(closing, turns.clock);
	return second;
}

describe('the table of errors', () => {
	const manual = readFileSync('source/manual/chat-api.md', 'utf8');
	const [, table = ''] = /\n## Errors\n([^]*?)\n## /.exec(manual) ?? [];

	test('has these rows and no others, and the document for programs names them', () => {
		const told = [...table.matchAll(/^\| (?<status>\d{3}) +\| (?<codes>[^|]*)\|/gm)].flatMap(
			({groups}) =>
				[...(groups?.['codes'] ?? '').matchAll(/`(\w+)`/g)].map(
					([, code]) => `${groups?.['status']} ${code}`,
				),
		);
		expect(told).toEqual(rows.map(([status, code]) => `${status} ${code}`));
		expect(rows.map(([, code]) => code)).toEqual(
			expect.arrayContaining(Object.keys({...failureStatuses, ...sessionRefusals})),
		);

		const document = parse(readFileSync('source/manual/openapi.yaml', 'utf8'));
		const {responses} = document.paths['/v1/chat/completions'].post;
		for (const [status, code] of rows) {
			const {$ref} = responses[status] as {$ref: string};
			const {description} = document.components.responses[$ref.split('/').at(-1) ?? ''];
			expect(`${status} ${description}`).toContain(`\`${code}\``);
		}
	});

	test.for(rows)('%s %s', async ([status, code, ask]) => {
		const answer = await ask();
		const body = JSON.parse(answer.text) as {error: JsonObject};
		expect([answer.status, body.error['code']]).toEqual([status, code]);
		expect(faultsOf('ErrorResponse', body)).toEqual([]);
		expect(answer.headers['x-request-id']).toMatch(/^req_/);
		expect(answer.text).not.toContain('secret of the house');
		// Whoever is to come again hears when.
		expect(Number(answer.headers['retry-after'] ?? 0) > 0).toBe(
			status === 429 || ['busy', 'journal_unavailable', 'stopping'].includes(code),
		);
		expect(answer.headers['x-should-retry']).toBe(code === 'budget_exceeded' ? 'false' : undefined);
		expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
	});
});

test('a stream that is under way when the gateway ends is told so', async () => {
	await using turns = await startTurns(async ({onText, signal}) => {
		await onText('A word');
		await once(signal, 'abort');
		throw signal.reason;
	});
	const response = await turns.begin({stream: true});
	const [first] = (await once(response.setEncoding('utf8'), 'data')) as [string];
	expect(first).toContain('"role":"assistant"');
	const closing = turns.server.close();
	const rest = text(response);
	turns.clock.advance(5000);
	const last = (await rest).trim().split('\n\n').at(-1) ?? '';
	expect(JSON.parse(last.slice('data: '.length))).toMatchObject({error: {code: 'stopping'}});
	await advanceUntil(closing, turns.clock);
});
