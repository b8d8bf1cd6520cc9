import {once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {JsonValue} from '../../source/core/json.ts';

/**
 * An OpenAI-compatible model server over real HTTP whose words are scripted. It listens on 127.0.0.1, port 0, answers
 * `POST /v1/chat/completions` with the next answer of its script, and `GET /v1/models` with a list.
 *
 *     await using model = await startScriptedModel([
 *         {toolCalls: [{name: 'lookup', arguments: {id: 7}}]},
 *         {text: 'Done'},
 *     ]);
 *     // model: {provider: 'openai-compatible', base_url: model.baseUrl, name: 'scripted-1'}
 *     expect(model.requests[1]?.body).toMatchObject({…});
 *
 * A request beyond the script is answered 400 with a message that says so (400, because clients do not repeat it), unless
 * `otherwise` says what to answer then.
 */

/** One answer of the script. */
export type ScriptedAnswer =
	/** The assistant says `text`; finish reason `stop` unless given (`null`: the field is left out). */
	| {
			readonly text: string;
			readonly finishReason?: string | null;
			readonly usage?: ScriptedUsage;
	  }
	/** The assistant calls tools. `arguments` that are a string are sent as they are, so they may be broken JSON. */
	| {
			readonly toolCalls: ReadonlyArray<{
				readonly name: string;
				readonly arguments?: JsonValue;
				readonly id?: string;
			}>;
			readonly text?: string;
			readonly finishReason?: string;
			readonly usage?: ScriptedUsage;
	  }
	/** An error status, by default in the OpenAI error shape. */
	| {
			readonly status: number;
			readonly headers?: Readonly<Record<string, string>>;
			readonly message?: string;
			readonly body?: string;
	  }
	/** The assistant says these one after the other, for requests that stream: before each but the first it waits for `between`. `ending` in place of the end. */
	| {
			readonly deltas: readonly string[];
			readonly between?: (index: number) => Promise<unknown>;
			/** `error`: an event that says so; `cut`: the connection breaks; `stop`: it ends without having said that it does; `hang`: nothing more comes. */
			readonly ending?: 'error' | 'cut' | 'stop' | 'hang' | {readonly line: string};
			readonly usage?: ScriptedUsage;
	  }
	/** Status 200 with this body and type `application/json`, whatever it is; to a request that streams, as one of its events. */
	| {readonly garbage: string}
	/** Status 200 with this JSON, as a server answers that knows no streams. */
	| {readonly json: string}
	/** Status 200, a length, these bytes of the body, then the connection is destroyed. */
	| {readonly cut: string}
	/** Accepts the request and says nothing until the client goes away. */
	| {readonly hang: true}
	/** Decides when the request is there. */
	| ((request: ScriptedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

export type ScriptedUsage = {readonly prompt_tokens: number; readonly completion_tokens: number};

/** A request as it came in. */
export type ScriptedRequest = {
	readonly method: string;
	readonly url: string;
	readonly headers: IncomingHttpHeaders;
	/** The parsed JSON body; `undefined` without one. */
	// oxlint-disable-next-line typescript/no-explicit-any -- tests read it by path
	readonly body: any;
	/** Resolves when the connection of this request is closed or its answer is sent; `true` when the client went away before. */
	readonly closed: Promise<boolean>;
};

export type ScriptedModel = {
	/** `http://127.0.0.1:PORT/v1` */
	readonly baseUrl: string;
	/** `127.0.0.1:PORT` */
	readonly host: string;
	/** Calls of the model so far, in order of arrival; `GET /models` is not among them. */
	readonly requests: readonly ScriptedRequest[];
	/** How often the list of models was asked for. */
	readonly modelListings: readonly ScriptedRequest[];
	/** Adds to the end of the script. */
	push(...answers: readonly ScriptedAnswer[]): void;
	/** The call number `index` (from 0), as soon as it has arrived. */
	request(index: number): Promise<ScriptedRequest>;
	/** Destroys every connection and stops listening. */
	[Symbol.asyncDispose](): Promise<void>;
};

type Outcome = Exclude<ScriptedAnswer, (request: ScriptedRequest) => unknown>;

const sendJson = (
	response: ServerResponse,
	status: number,
	{body, headers = {}}: {body: unknown; headers?: Readonly<Record<string, string>>},
) => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	response.writeHead(status, {'content-type': 'application/json', ...headers});
	response.end(text);
};

const completion = (
	message: Readonly<Record<string, unknown>>,
	finishReason: string | null,
	usage: ScriptedUsage = usualUsage,
) => ({
	id: 'chatcmpl-scripted',
	object: 'chat.completion',
	created: 1_700_000_000,
	model: 'scripted-1',
	choices: [
		{
			index: 0,
			message: {role: 'assistant', content: null, ...message},
			...(finishReason !== null && {finish_reason: finishReason}),
		},
	],
	usage: {...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens},
});

let callCount = 0;

const toolCallsOf = (answer: Extract<Outcome, {toolCalls: unknown}>) =>
	answer.toolCalls.map(({name, arguments: args = {}, id}) => ({
		id: id ?? `call_${++callCount}`,
		type: 'function',
		function: {name, arguments: typeof args === 'string' ? args : JSON.stringify(args)},
	}));

const chunk = (choices: readonly unknown[], usage?: ScriptedUsage) =>
	`data: ${JSON.stringify({
		id: 'chatcmpl-scripted',
		object: 'chat.completion.chunk',
		created: 1_700_000_000,
		model: 'scripted-1',
		choices,
		...(usage && {
			usage: {...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens},
		}),
	})}\n\n`;

const deltaChunk = (delta: Readonly<Record<string, unknown>>, finishReason: string | null = null) =>
	chunk([{index: 0, delta, finish_reason: finishReason}]);

const usualUsage: ScriptedUsage = {prompt_tokens: 10, completion_tokens: 5};

/** The same answer for a request that streams. */
async function playStream(
	answer: Extract<Outcome, {text?: unknown} | {deltas: unknown} | {garbage: string}>,
	response: ServerResponse,
): Promise<void> {
	response.writeHead(200, {'content-type': 'text/event-stream'});
	const write = async (text: string) => {
		if (!response.write(text) && !response.destroyed) {
			const {promise, resolve} = Promise.withResolvers<void>();
			const done = () => {
				response.off('drain', done);
				response.off('close', done);
				resolve();
			};
			response.on('drain', done);
			response.on('close', done);
			await promise;
		}
	};

	if ('garbage' in answer) {
		response.end(`data: ${answer.garbage}\n\n`);
		return;
	}

	await write(deltaChunk({role: 'assistant', content: ''}));
	if ('deltas' in answer) {
		for (const [index, delta] of answer.deltas.entries()) {
			if (index > 0) {
				await answer.between?.(index);
			}

			if (response.destroyed) {
				return;
			}

			await write(deltaChunk({content: delta}));
		}

		if (answer.ending === 'hang') {
			return;
		}

		if (answer.ending === 'cut') {
			response.destroy();
			return;
		}

		if (answer.ending === 'stop') {
			response.end();
			return;
		}

		if (answer.ending === 'error') {
			response.end(`data: ${JSON.stringify({error: {message: 'Overloaded', code: 503}})}\n\n`);
			return;
		}

		await write(answer.ending ? `data: ${answer.ending.line}\n\n` : '');
	} else if (answer.text !== undefined) {
		await write(deltaChunk({content: answer.text}));
	}

	if ('toolCalls' in answer) {
		const calls = toolCallsOf(answer).map((call, index) => ({index, ...call}));
		await write(deltaChunk({tool_calls: calls}));
	}

	const finishReason = 'finishReason' in answer ? answer.finishReason : undefined;
	if (finishReason !== null) {
		await write(deltaChunk({}, finishReason ?? ('toolCalls' in answer ? 'tool_calls' : 'stop')));
	}

	await write(chunk([], answer.usage ?? usualUsage));
	response.end('data: [DONE]\n\n');
}

async function play(answer: Outcome, response: ServerResponse, isStream: boolean): Promise<void> {
	if ('hang' in answer) {
		return;
	}

	if (
		'deltas' in answer ||
		(isStream && ('text' in answer || 'toolCalls' in answer || 'garbage' in answer))
	) {
		await playStream(answer, response);
		return;
	}

	if ('cut' in answer) {
		const type = isStream ? 'text/event-stream' : 'application/json';
		response.writeHead(200, {'content-type': type, 'content-length': '100000'});
		response.write(answer.cut, () => {
			response.destroy();
		});
		return;
	}

	if ('garbage' in answer || 'json' in answer) {
		sendJson(response, 200, {body: 'json' in answer ? answer.json : answer.garbage});
		return;
	}

	if ('status' in answer) {
		const {status, headers, message = `Scripted status ${status}`, body} = answer;
		const envelope = {error: {message, type: 'scripted_error', param: null, code: null}};
		sendJson(response, status, {body: body ?? envelope, ...(headers && {headers})});
		return;
	}

	const {text = null, usage} = answer;
	const body =
		'toolCalls' in answer
			? completion(
					{content: text, tool_calls: toolCallsOf(answer)},
					answer.finishReason ?? 'tool_calls',
					usage,
				)
			: completion(
					{content: text},
					answer.finishReason === undefined ? 'stop' : answer.finishReason,
					usage,
				);
	sendJson(response, 200, {body});
}

/** Starts a server with `answers` as its script. @see ScriptedAnswer */
export async function startScriptedModel(
	answers: readonly ScriptedAnswer[] = [],
	{
		models = ['scripted-1'],
		otherwise = {status: 400, message: 'The script of the model has no more answers'},
	}: {
		/** What `GET /v1/models` lists. */
		readonly models?: readonly string[];
		readonly otherwise?: ScriptedAnswer;
	} = {},
): Promise<ScriptedModel> {
	const script = [...answers];
	const requests: ScriptedRequest[] = [];
	const modelListings: ScriptedRequest[] = [];
	const waiting: Array<{readonly index: number; resolve: (request: ScriptedRequest) => void}> = [];

	const settle = async (answer: ScriptedAnswer, request: ScriptedRequest): Promise<Outcome> =>
		typeof answer === 'function' ? settle(await answer(request), request) : answer;

	const server = createServer((incoming, response) => {
		void (async () => {
			const {promise: closed, resolve: close} = Promise.withResolvers<boolean>();
			response.once('close', () => {
				close(!response.writableFinished);
			});
			const chunks: Buffer[] = [];
			for await (const part of incoming) {
				chunks.push(part as Buffer);
			}

			const text = Buffer.concat(chunks).toString('utf8');
			const request: ScriptedRequest = {
				method: incoming.method ?? '',
				url: incoming.url ?? '',
				headers: incoming.headers,
				body: text === '' ? undefined : JSON.parse(text),
				closed,
			};

			if (request.method === 'GET' && request.url === '/v1/models') {
				modelListings.push(request);
				const data = models.map(id => ({id, object: 'model', created: 0, owned_by: 'scripted'}));
				sendJson(response, 200, {body: {object: 'list', data}});
				return;
			}

			requests.push(request);
			for (const waiter of waiting.splice(0)) {
				const found = requests[waiter.index];
				if (found) {
					waiter.resolve(found);
				} else {
					waiting.push(waiter);
				}
			}

			await play(
				await settle(script.shift() ?? otherwise, request),
				response,
				request.body?.stream === true,
			);
		})().catch(() => {
			// The client went away while its body was read.
			response.destroy();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

	return {
		baseUrl: `http://${host}/v1`,
		host,
		requests,
		modelListings,
		push(...more) {
			script.push(...more);
		},
		async request(index) {
			const found = requests[index];
			if (found) {
				return found;
			}

			return new Promise(resolve => {
				waiting.push({index, resolve});
			});
		},
		async [Symbol.asyncDispose]() {
			server.close();
			server.closeAllConnections();
			if (server.listening) {
				await once(server, 'close');
			}
		},
	};
}
