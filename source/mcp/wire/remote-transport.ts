import type {
	FetchLike,
	JSONRPCMessage,
	OAuthClientProvider,
	Transport,
} from '@modelcontextprotocol/client';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {timeLimit} from './time-limit.ts';

/** A transport of the SDK with what it does not do itself around it. */
export type RemoteTransport = Transport & {
	/** Ends it without a word to the server, and without `onLost`. */
	abandon(): void;
	/** Whether the handshake was done. */
	isEstablished(): boolean;
	hasSession(): boolean;
};

/** What a remote transport is made with. */
export type RemoteTransportOptions = {
	readonly clock: Clock;
	readonly fetch: FetchLike;
	readonly authProvider?: OAuthClientProvider;
	/** The server is gone, or does not know us any more. */
	readonly onLost: () => void;
};

/** The number of a request, of a response, or of the request that a notification cancels. */
export type MessageId = string | number;

/** The request's own number; `undefined` for anything but a request. */
export const requestId = (message: JSONRPCMessage): MessageId | undefined =>
	'method' in message && 'id' in message ? message.id : undefined;

/** The number of the request that a response answers. */
const answeredId = (message: JSONRPCMessage): MessageId | undefined =>
	'method' in message || !('id' in message) ? undefined : message.id;

/** The number of the request that a notification withdraws. */
export function cancelledId(message: JSONRPCMessage): MessageId | undefined {
	if (!('method' in message) || message.method !== 'notifications/cancelled') {
		return undefined;
	}

	const id = message.params?.['requestId'];
	return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Passes the events of the SDK's transport on to ours. Errors are dropped once `isOver`. */
export function relayEvents(
	inner: Transport,
	outer: Transport,
	on: {
		/** The request of that number has its answer, which is passed on next. */
		readonly answered: (id: MessageId) => void;
		readonly closed: () => void;
		readonly isOver: () => boolean;
		/** Called after the error was passed on. */
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

/** How long a server may take over a message that it only has to accept. */
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
