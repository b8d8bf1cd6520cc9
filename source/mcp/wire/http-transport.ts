import {
	type JSONRPCMessage,
	StreamableHTTPClientTransport,
	type Transport,
	type TransportSendOptions,
} from '@modelcontextprotocol/client';
import {sleep} from '../../core/clock.ts';
import {createOpenCalls} from './open-calls.ts';
import {
	answeredId,
	cancelledId,
	type MessageId,
	type RemoteTransport,
	type RemoteTransportOptions,
	requestId,
	withinNoticeTime,
} from './remote-transport.ts';
import {type StreamWatch, watchedStream} from './stream-watch.ts';

/** How long saying goodbye to a session may take. */
const farewellMs = 1000;

/** Two tries within a second and a half: a call that is not back by then is lost. */
const reconnectionOptions = {
	initialReconnectionDelay: 500,
	reconnectionDelayGrowFactor: 2,
	maxReconnectionDelay: 30_000,
	maxRetries: 2,
};

/** Statuses of a standing stream that say that the server does not know us any more. */
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
	const calls = createOpenCalls({
		clock,
		answer: message => transport.onmessage?.(message),
	});
	let isEstablished = false;
	let isEnding = false;
	/** Of the last try to open a stream with GET; `undefined`: no answer. */
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

	/** Whatever only has to be accepted. The first of them opens the standing stream. */
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

	Object.assign(inner, {
		onmessage(message: JSONRPCMessage) {
			const id = answeredId(message);
			if (id !== undefined) {
				calls.forget(id);
			}

			transport.onmessage?.(message);
		},
		onclose() {
			calls[Symbol.dispose]();
			transport.onclose?.();
		},
		onerror(error: Error) {
			if (isEnding) {
				return;
			}

			transport.onerror?.(error);
			if (
				error.message.startsWith('Maximum reconnection attempts') &&
				forgotten.has(streamStatus)
			) {
				onLost();
			}
		},
	});
	return transport;
}

const isSubscription = (message: JSONRPCMessage): boolean =>
	'method' in message && message.method === 'subscriptions/listen';

const anyOf = (own: AbortSignal, other: AbortSignal | undefined): AbortSignal =>
	other ? AbortSignal.any([own, other]) : own;
