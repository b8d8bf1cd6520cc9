import {
	type FetchLike,
	type JSONRPCMessage,
	type OAuthClientProvider,
	SSEClientTransport,
	SseError,
} from '@modelcontextprotocol/client';
import {SvcError} from '../../core/errors.ts';
import {answeredId, type MessageId, type RemoteTransport, requestId} from './remote-transport.ts';
import {watchedStream} from './stream-watch.ts';
import {lostAnswer, tooLargeAnswer} from './synthetic-errors.ts';

/**
 * The SDK's SSE transport, and beyond it: when the stream is lost the calls under way fail at once with the JSON-RPC error of `lostAnswer` and the connection ends. A new
 * stream would be a new session, which nobody has initialised.
 *
 * @see MCP 2024-11-05, Transports, HTTP with SSE
 */
export function createSseTransport(
	url: URL,
	{
		fetch,
		authProvider,
		onLost,
	}: {
		readonly fetch: FetchLike;
		readonly authProvider?: OAuthClientProvider;
		readonly onLost: () => void;
	},
): RemoteTransport {
	const inner = new SSEClientTransport(url, {fetch, ...(authProvider && {authProvider})});
	const open = new Set<MessageId>();
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

		for (const id of open) {
			transport.onmessage?.(answerInstead(id));
		}

		open.clear();
		onLost();
		void end();
	};

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
				// Its EventSource never settles once it is closed.
				await Promise.race([watchedStream.run(watch, async () => inner.start()), ended.promise]);
				isStarted = true;
			} catch (error) {
				// Otherwise it goes on trying.
				await end();
				throw error;
			}
		},
		async send(message) {
			const id = requestId(message);
			if (id !== undefined) {
				open.add(id);
			}

			try {
				await watchedStream.exit(async () => inner.send(message));
			} catch (error) {
				if (id !== undefined) {
					open.delete(id);
				}

				throw error;
			}
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

	Object.assign(inner, {
		onmessage(message: JSONRPCMessage) {
			const id = answeredId(message);
			if (id !== undefined) {
				open.delete(id);
			}

			transport.onmessage?.(message);
		},
		onclose() {
			isOver = true;
			transport.onclose?.();
		},
		onerror(error: Error) {
			if (isOver) {
				return;
			}

			transport.onerror?.(error);
			if (isStarted && error instanceof SseError) {
				lose();
			}
		},
	});
	return transport;
}
