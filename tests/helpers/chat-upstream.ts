import {once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {JsonObject} from '../../source/core/json.ts';

/** A request of a relay, and the place for whatever a test answers: any bytes, at any time. */
export type UpstreamRequest = {
	readonly url: string;
	readonly headers: IncomingHttpHeaders;
	// oxlint-disable-next-line typescript/no-explicit-any -- tests read it by path
	readonly body: any;
	readonly response: ServerResponse;
	/** Resolves when the connection of this request is closed; `true` when its answer was not whole. */
	readonly closed: Promise<boolean>;
};

export type ChatUpstream = AsyncDisposable & {
	readonly baseUrl: string;
	readonly requests: readonly UpstreamRequest[];
	/** Connections that were ever opened. */
	readonly connections: number;
	/** What the configuration says of it. */
	readonly model: JsonObject;
};

/** A server of a model of which a test writes every byte. */
export async function startChatUpstream(
	answer: (request: UpstreamRequest) => void | Promise<void>,
): Promise<ChatUpstream> {
	const requests: UpstreamRequest[] = [];
	let connections = 0;
	const server = createServer((incoming, response) => {
		void (async () => {
			const {promise: closed, resolve} = Promise.withResolvers<boolean>();
			response.once('close', () => {
				resolve(!response.writableFinished);
			});
			const chunks: Buffer[] = [];
			for await (const chunk of incoming) {
				chunks.push(chunk as Buffer);
			}

			const text = Buffer.concat(chunks).toString('utf8');
			const request: UpstreamRequest = {
				url: incoming.url ?? '',
				headers: incoming.headers,
				body: text === '' ? undefined : JSON.parse(text),
				response,
				closed,
			};
			if (incoming.method === 'POST') {
				requests.push(request);
			}

			await answer(request);
		})().catch(() => {
			response.destroy();
		});
	});
	server.on('connection', () => {
		connections++;
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
	return {
		baseUrl,
		requests,
		get connections() {
			return connections;
		},
		model: {
			provider: 'openai-compatible',
			base_url: baseUrl,
			name: 'upstream-1',
			api_key: 'sk-upstream-secret-0123456789',
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

/** An answer in one piece, as such a server gives it. */
export const sendCompletion = (
	{response}: UpstreamRequest,
	message: JsonObject,
	{finishReason = 'stop', ...more}: JsonObject & {readonly finishReason?: string | null} = {},
): void => {
	sendJson(response, 200, {
		id: 'chatcmpl-upstream',
		object: 'chat.completion',
		created: 1,
		model: 'upstream-1-2026',
		choices: [{index: 0, message: {role: 'assistant', ...message}, finish_reason: finishReason}],
		usage: {prompt_tokens: 11, completion_tokens: 7, total_tokens: 18},
		...more,
	});
};

export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
	response.writeHead(status, {'content-type': 'application/json'});
	response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** One event of a stream, as such a server sends it. */
export const chunkOf = (
	delta: JsonObject,
	{finishReason = null, ...more}: JsonObject & {readonly finishReason?: string | null} = {},
): string =>
	`data: ${JSON.stringify({
		id: 'chatcmpl-upstream',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'upstream-1-2026',
		choices: [{index: 0, delta, finish_reason: finishReason}],
		...more,
	})}\n\n`;

export const usageChunk =
	'data: {"id":"x","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}\n\n';

export const lastEvent = 'data: [DONE]\n\n';

/** Begins a stream, and sends these events. */
export const beginStream = ({response}: UpstreamRequest, ...events: readonly string[]): void => {
	response.writeHead(200, {'content-type': 'text/event-stream'});
	response.flushHeaders();
	for (const event of events) {
		response.write(event);
	}
};

/** A stream from its beginning to its end. */
export const sendStream = (request: UpstreamRequest, ...events: readonly string[]): void => {
	beginStream(request, ...events);
	request.response.end();
};

/** The data of each event of an answer of ours; whatever else stands in it fails the test. */
export const eventsOf = (text: string): readonly string[] => {
	const events = text.split('\n\n');
	if (events.pop() !== '' || !events.every(event => /^data: [^\r\n]+$/.test(event))) {
		throw new Error(`no stream of data lines alone: ${JSON.stringify(text.slice(0, 500))}`);
	}

	return events.map(event => event.slice('data: '.length));
};
