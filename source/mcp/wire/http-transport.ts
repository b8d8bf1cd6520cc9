import {
	type JSONRPCMessage,
	StreamableHTTPClientTransport,
	type Transport,
	type TransportSendOptions,
} from '@modelcontextprotocol/client';
import {type Clock, sleep} from '../../core/clock.ts';
import {
	cancelledId,
	type MessageId,
	relayEvents,
	type RemoteTransport,
	type RemoteTransportOptions,
	requestId,
	withinNoticeTime,
} from './remote-transport.ts';
import {type StreamWatch, watchedStream, watchStreams} from './stream-watch.ts';
import {lostAnswer, tooLargeAnswer} from './synthetic-errors.ts';

/** The time limit for ending a session on the server. */
const farewellMs = 1000;

/** Allows two attempts within 1.5 seconds; then a call counts as lost. */
const reconnectionOptions = {
	initialReconnectionDelay: 500,
	reconnectionDelayGrowFactor: 2,
	maxReconnectionDelay: 30_000,
	maxRetries: 2,
};

/** Statuses of the standing stream which mean that the server no longer knows this client. */
const forgotten: ReadonlySet<number | undefined> = new Set([400, 404, 410, undefined]);

/**
 * Extends the SDK's Streamable HTTP transport: a call whose stream is lost fails within 3 s instead of at its time-out, with the JSON-RPC error of `lostAnswer`; a
 * cancelled call closes its connection; notifications have a limit of 30 s; `close()` ends the session on the server within a second. Calls `onLost` when the
 * server has dropped the standing stream and accepts no new one.
 *
 * @see MCP 2025-11-25, Transports, Streamable HTTP
 */
export function createHttpTransport(
	url: URL,
	{clock, fetch, authProvider, onLost}: RemoteTransportOptions,
): RemoteTransport {
	const calls = createOpenCalls(clock, message => transport.onmessage?.(message));
	let isEstablished = false;
	let isEnding = false;
	/** The status of the last GET for a stream; `undefined` without an answer. */
	let streamStatus: number | undefined;

	const inner = new StreamableHTTPClientTransport(url, {
		async fetch(target, init) {
			if (init?.method !== 'GET') {
				return fetch(target, init);
			}

			streamStatus = undefined;
			const response = await fetch(target, init);
			streamStatus = response.status;
			return response;
		},
		reconnectionOptions,
		...(authProvider && {authProvider}),
	});

	const sender: Transport = inner;

	const sendRequest = async (
		id: MessageId,
		message: JSONRPCMessage,
		options: TransportSendOptions,
	) => {
		const {watch, signal} = calls.open(id);
		const withdraw = () => calls.forget(id);

		options.requestSignal?.addEventListener('abort', withdraw, {once: true});
		try {
			await watchedStream.run(watch, async () =>
				sender.send(message, {
					...options,
					requestSignal: anyOf(signal, options.requestSignal),
					onRequestStreamEnd() {
						options.onRequestStreamEnd?.();
						calls.lose(id);
					},
				}),
			);
		} catch (error) {
			calls.forget(id);
			throw error;
		}
	};

	const standing: StreamWatch = {
		opened() {},
		ended() {},
		tooLarge() {
			// A reopened stream would send the same oversized event again.
			onLost();
			transport.abandon();
		},
	};

	/** Sends a message that the server only has to accept. The first one opens the standing stream. */
	const sendNotice = async (message: JSONRPCMessage, options: TransportSendOptions) =>
		withinNoticeTime(clock, async signal =>
			watchedStream.run(standing, async () =>
				sender.send(message, {...options, requestSignal: anyOf(signal, options.requestSignal)}),
			),
		);

	const endSession = async () => {
		if (inner.sessionId === undefined) {
			return;
		}

		const tooLong = new AbortController();
		await Promise.race([
			inner.terminateSession().catch(() => {}),
			sleep(clock, farewellMs, tooLong.signal).catch(() => {}),
		]);
		tooLong.abort();
	};

	const transport: RemoteTransport = {
		hasPerRequestStream: true,
		get sessionId() {
			return inner.sessionId;
		},
		start: async () => inner.start(),
		async send(message, options = {}) {
			const id = requestId(message);
			// A subscription's stream carries no answer, and is managed by the SDK.
			if (id !== undefined && !isSubscription(message)) {
				await sendRequest(id, message, options);
				return;
			}

			if (id !== undefined) {
				await sender.send(message, options);
				return;
			}

			await sendNotice(message, options);
			const withdrawn = cancelledId(message);
			if (withdrawn !== undefined) {
				calls.withdraw(withdrawn);
			}
		},
		async close() {
			if (!isEnding) {
				isEnding = true;
				await endSession();
			}

			await inner.close();
		},
		setProtocolVersion(version) {
			isEstablished = true;
			inner.setProtocolVersion(version);
		},
		abandon() {
			isEnding = true;
			void inner.close();
		},
		isEstablished: () => isEstablished,
		hasSession: () => inner.sessionId !== undefined,
	};

	relayEvents(inner, transport, {
		answered: calls.forget,
		closed: () => calls[Symbol.dispose](),
		isOver: () => isEnding,
		failed({message}) {
			if (message.startsWith('Maximum reconnection attempts') && forgotten.has(streamStatus)) {
				onLost();
			}
		},
	});
	return transport;
}

type LocalAnswer = ReturnType<typeof lostAnswer>;

/** A connection's calls without an answer so far. `answer` supplies an error in the server's place when a stream is lost, or an event exceeds the limit. */
function createOpenCalls(clock: Clock, answer: (message: LocalAnswer) => void) {
	const calls = new Map<MessageId, {readonly abort: AbortController; readonly watch: Disposable}>();

	/** `undefined` if the call was answered already. */
	const take = (id: MessageId) => {
		const call = calls.get(id);
		calls.delete(id);
		call?.watch[Symbol.dispose]();
		return call;
	};

	const end = (message: LocalAnswer) => {
		const call = take(message.id);
		if (call) {
			answer(message);
			call.abort.abort();
		}
	};

	return {
		/** Registers a request about to be sent. `signal` aborts its open connections when it is answered here or cancelled. */
		open(id: MessageId): {readonly watch: StreamWatch; readonly signal: AbortSignal} {
			const abort = new AbortController();
			const watch = watchStreams({
				clock,
				onLost: () => end(lostAnswer(id)),
				onTooLarge: () => end(tooLargeAnswer(id)),
			});
			calls.set(id, {abort, watch});
			return {watch, signal: abort.signal};
		},
		/** The answer has arrived, or the caller is gone. */
		forget: (id: MessageId): unknown => take(id),
		/** The caller is gone: closes the call's connection. */
		withdraw: (id: MessageId): void => take(id)?.abort.abort(),
		/** No stream is left that could carry the answer. */
		lose: (id: MessageId): void => end(lostAnswer(id)),
		[Symbol.dispose]() {
			for (const id of calls.keys()) {
				take(id);
			}
		},
	};
}

const isSubscription = (message: JSONRPCMessage): boolean =>
	'method' in message && message.method === 'subscriptions/listen';

const anyOf = (own: AbortSignal, other: AbortSignal | undefined): AbortSignal =>
	other ? AbortSignal.any([own, other]) : own;
