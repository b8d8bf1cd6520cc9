import {AsyncLocalStorage} from 'node:async_hooks';
import {type JSONRPCMessage, SSEClientTransport, SseError} from '@modelcontextprotocol/client';
import {SvcError} from '../../core/errors.ts';
import {
	cancelledId,
	type MessageId,
	relayEvents,
	type RemoteTransport,
	type RemoteTransportOptions,
	requestId,
	withinNoticeTime,
} from './remote-transport.ts';
import {watchedStream} from './stream-watch.ts';
import {lostAnswer, tooLargeAnswer} from './synthetic-errors.ts';

/**
 * Extends the SDK's SSE transport: when the stream is lost, pending calls fail at once with the JSON-RPC error of `lostAnswer`, and the connection ends, because a
 * new stream would be a new, uninitialised session. A cancelled call closes its connection; notifications have a limit of 30 s.
 *
 * @see MCP 2024-11-05, Transports, HTTP with SSE
 */
export function createSseTransport(
	url: URL,
	{clock, fetch, authProvider, onLost}: RemoteTransportOptions,
): RemoteTransport {
	/** Carries the signal of the message being posted: the SDK's own aborts only with the connection. */
	const posted = new AsyncLocalStorage<AbortSignal>();
	const inner = new SSEClientTransport(url, {
		async fetch(target, init) {
			const signals = [init?.signal, posted.getStore()].filter(
				signal => signal instanceof AbortSignal,
			);
			return fetch(target, {...init, signal: AbortSignal.any(signals)});
		},
		...(authProvider && {authProvider}),
	});
	const open = new Map<MessageId, AbortController>();
	const ended = Promise.withResolvers<never>();
	ended.promise.catch(() => {});
	let isStarted = false;
	let isEstablished = false;
	let isOver = false;
	let answerInstead = lostAnswer;

	const end = async () => {
		isOver = true;
		ended.reject(new SvcError('mcp_connect_failed', 'The connection has ended'));
		await inner.close();
	};

	const lose = () => {
		if (isOver) {
			return;
		}

		for (const id of open.keys()) {
			transport.onmessage?.(answerInstead(id));
		}

		open.clear();
		onLost();
		void end();
	};

	const post = async (message: JSONRPCMessage, signal: AbortSignal) =>
		posted.run(signal, async () => watchedStream.exit(async () => inner.send(message)));

	const postRequest = async (id: MessageId, message: JSONRPCMessage) => {
		const abort = new AbortController();
		open.set(id, abort);
		try {
			await post(message, abort.signal);
		} catch (error) {
			open.delete(id);
			throw error;
		}
	};

	const postNotice = async (message: JSONRPCMessage) =>
		withinNoticeTime(clock, async signal => post(message, signal));

	const transport: RemoteTransport = {
		async start() {
			try {
				const watch = {
					opened() {},
					ended() {},
					tooLarge() {
						answerInstead = tooLargeAnswer;
					},
				};
				// The SDK's EventSource never settles once it is closed.
				await Promise.race([watchedStream.run(watch, async () => inner.start()), ended.promise]);
				isStarted = true;
			} catch (error) {
				// Otherwise it would keep retrying.
				await end();
				throw error;
			}
		},
		async send(message) {
			const withdrawn = cancelledId(message);
			if (withdrawn !== undefined) {
				open.get(withdrawn)?.abort();
				open.delete(withdrawn);
			}

			const id = requestId(message);
			await (id === undefined ? postNotice(message) : postRequest(id, message));
		},
		close: end,
		setProtocolVersion(version) {
			isEstablished = true;
			inner.setProtocolVersion(version);
		},
		abandon() {
			void end();
		},
		isEstablished: () => isEstablished,
		hasSession: () => isEstablished,
	};

	relayEvents(inner, transport, {
		answered: id => open.delete(id),
		closed() {
			isOver = true;
		},
		isOver: () => isOver,
		failed(error) {
			if (isStarted && error instanceof SseError) {
				lose();
			}
		},
	});
	return transport;
}
