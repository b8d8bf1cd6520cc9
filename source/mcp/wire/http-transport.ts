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

/** How long saying goodbye to a session may take. */
const farewellMs = 1000;

/** Two attempts within a second and a half; then a call counts as lost. */
const reconnectionOptions = {
	initialReconnectionDelay: 500,
	reconnectionDelayGrowFactor: 2,
	maxReconnectionDelay: 30_000,
	maxRetries: 2,
};

/** Statuses of a standing stream by which a server says that it does not know this client any more. */
const forgotten: ReadonlySet<number | undefined> = new Set([400, 404, 410, undefined]);

/**
 * The SDK's Streamable HTTP transport, and beyond it: a call whose stream is lost fails within 3 s instead of at its timeout, with the JSON-RPC error
 * of `lostAnswer`; a withdrawn call lets its connection go; notifications have 30 s; `close()` ends the session on the server, for a second at most. `onLost` when the server
 * has dropped the standing stream and takes no new one.
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
	/** The status of the last attempt to open a stream with GET; `undefined`: no answer. */
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
			// It would be opened again, and send the same again.
			onLost();
			transport.abandon();
		},
	};

	/** Sends a message that the server only has to accept. The first of them opens the standing stream. */
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
			// A subscription has a stream without an answer; the SDK looks after it.
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

/** The calls of one connection that have no answer yet. `answer` gets one in the server's stead when the stream was lost, or an event was above the limit. */
function createOpenCalls(clock: Clock, answer: (message: LocalAnswer) => void) {
	const calls = new Map<MessageId, {readonly abort: AbortController; readonly watch: Disposable}>();

	/** `undefined` when the call was answered already. */
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
		/** A request is about to be sent. `signal` aborts what it still has open when it is answered here, or withdrawn. */
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
		/** Its answer has come, or its caller has gone. */
		forget: (id: MessageId): unknown => take(id),
		/** Its caller has gone: its connection is let go. */
		withdraw: (id: MessageId): void => take(id)?.abort.abort(),
		/** No stream is left that its answer could come by. */
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
