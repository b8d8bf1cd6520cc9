import type {
	FetchLike,
	JSONRPCMessage,
	OAuthClientProvider,
	Transport,
} from '@modelcontextprotocol/client';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {timeLimit} from './time-limit.ts';

/** A transport of the SDK with svc's extensions. */
export type RemoteTransport = Transport & {
	/** Ends it without notifying the server, and without `onLost`. */
	abandon(): void;
	/** Whether the handshake was completed. */
	isEstablished(): boolean;
	hasSession(): boolean;
};

/** The options of a remote transport. */
export type RemoteTransportOptions = {
	readonly clock: Clock;
	readonly fetch: FetchLike;
	readonly authProvider?: OAuthClientProvider;
	/** Called when the server is gone, or no longer knows this client. */
	readonly onLost: () => void;
};

/** The id of a request, of a response, or of the request that a notification cancels. */
export type MessageId = string | number;

/** The id of a request; `undefined` for other messages. */
export const requestId = (message: JSONRPCMessage): MessageId | undefined =>
	'method' in message && 'id' in message ? message.id : undefined;

/** The id of the request that a response answers. */
const answeredId = (message: JSONRPCMessage): MessageId | undefined =>
	'method' in message || !('id' in message) ? undefined : message.id;

/** The id of the request that a notification cancels. */
export function cancelledId(message: JSONRPCMessage): MessageId | undefined {
	if (!('method' in message) || message.method !== 'notifications/cancelled') {
		return undefined;
	}

	const id = message.params?.['requestId'];
	return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Forwards the events of the SDK's transport to ours. Drops errors once `isOver`. */
export function relayEvents(
	inner: Transport,
	outer: Transport,
	on: {
		/** Called before the answer to this request is forwarded. */
		readonly answered: (id: MessageId) => void;
		readonly closed: () => void;
		readonly isOver: () => boolean;
		/** Called after an error was forwarded. */
		readonly failed: (error: Error) => void;
	},
): void {
	Object.assign(inner, {
		onmessage(message: JSONRPCMessage) {
			const id = answeredId(message);
			if (id !== undefined) {
				on.answered(id);
			}

			outer.onmessage?.(message);
		},
		onclose() {
			on.closed();
			outer.onclose?.();
		},
		onerror(error: Error) {
			if (!on.isOver()) {
				outer.onerror?.(error);
				on.failed(error);
			}
		},
	});
}

/** The time limit for a message that a server only has to accept. */
const noticeMs = 30_000;

/** Sends such a message with a signal that aborts after 30 s. Rejects as `send` does. */
export async function withinNoticeTime(
	clock: Clock,
	send: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
	using limit = timeLimit(clock, noticeMs, {
		reason: () => new SvcError('mcp_connect_failed', 'It does not take a notification'),
	});
	await send(limit.signal);
}
