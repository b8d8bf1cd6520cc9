import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {JsonValue} from '../../source/core/json.ts';

/** A request as a platform's server gets it. */
export type Call = {
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	readonly query: Readonly<Record<string, string>>;
	readonly headers: Readonly<Record<string, string | undefined>>;
	/** JSON as it says, forms as their fields. */
	readonly body: JsonValue;
	readonly raw: string;
};

export type Reply = {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly json?: JsonValue;
	/** Instead of `json`. */
	readonly text?: string;
};

/** What a server does with the next request instead of serving it. `breaks`: it takes it, and the connection ends without an answer; `hangs`: it takes it, and no answer comes. */
export type Reaction = Reply | 'breaks' | 'hangs';

/** A server on this machine that answers as `serve` says, which throws for a request that the real one would not take, and may wait until the one who asks is `gone`. Messages, and what is no message, it answers before that as it is told to `react`. */
export async function openService(
	serve: (call: Call, gone: AbortSignal) => Reply | Promise<Reply>,
	isSending: (call: Call) => boolean = () => true,
) {
	const calls: Call[] = [];
	const faults: string[] = [];
	const toMessages: Reaction[] = [];
	const toOthers: Reaction[] = [];
	const came = new Map<number, PromiseWithResolvers<void>>();
	const cameNth = (nth: number) => {
		const waiting = came.get(nth) ?? Promise.withResolvers<void>();
		came.set(nth, waiting);
		return waiting;
	};
	const served = async (call: Call, gone: AbortSignal): Promise<Reply> => {
		try {
			return await serve(call, gone);
		} catch (error) {
			faults.push(
				`${call.method} ${call.path}: ${error instanceof Error ? error.message : String(error)}`,
			);
			return {status: 418, json: {}};
		}
	};
	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const raw = Buffer.concat(await Array.fromAsync(request)).toString();
		const url = new URL(request.url ?? '/', 'http://service');
		const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
		const call: Call = {
			method: request.method ?? '',
			path: url.pathname,
			query: Object.fromEntries(url.searchParams),
			headers: Object.fromEntries(
				Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
			),
			body:
				raw === '' ? null : isForm ? Object.fromEntries(new URLSearchParams(raw)) : JSON.parse(raw),
			raw,
		};
		calls.push(call);
		const leaving = new AbortController();
		response.once('close', () => {
			leaving.abort();
		});
		const reaction = (isSending(call) ? toMessages : toOthers).shift();
		// What breaks off was taken all the same.
		const reply =
			reaction === undefined || typeof reaction === 'string'
				? await served(call, leaving.signal)
				: reaction;
		if (reaction === 'breaks') {
			request.socket.destroy();
		} else if (reaction !== 'hangs') {
			response
				.writeHead(reply.status, {'content-type': 'application/json', ...reply.headers})
				.end(reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json)));
		}

		cameNth(calls.filter(isSending).length).resolve();
	};
	const server = createServer((request, response) => {
		void answer(request, response);
	});
	await new Promise<void>(resolve => {
		server.listen(0, '127.0.0.1', resolve);
	});
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
	const {port} = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		/** For what is no request with an answer: web sockets. */
		server,
		calls,
		/** What it would not have taken. */
		faults,
		/** The next messages are answered so, in turn. */
		react(...next: readonly Reaction[]) {
			toMessages.push(...next);
		},
		/** The same for what is no message: checks, logins. */
		reactToChecks(...next: readonly Reaction[]) {
			toOthers.push(...next);
		},
		/** Ends all connections, whatever is on its way. */
		cut() {
			server.closeAllConnections();
		},
		/** Resolves once the message with that number (from 1) has come. */
		sent: async (nth: number) => cameNth(nth).promise,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise(resolve => {
				server.close(resolve);
			});
		},
	};
}

export type Service = Awaited<ReturnType<typeof openService>>;
