import type {Writable} from 'node:stream';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';

/** How long a reader may leave its pipe full. */
const maxWaitMs = 30_000;

/** How many bytes may wait for a reader that does not read. */
const maxWaitingBytes = 20 * 1024 * 1024;

/**
 * Writes `text`, and waits until a full pipe has accepted it, at most 30 s, or until `signal` aborts. Rejects with the pipe's error, the signal's reason, or
 * SvcError `mcp_connect_failed`.
 */
export async function writeWithEnd(
	stream: Writable,
	text: string,
	{clock, signal}: {readonly clock: Clock; readonly signal: AbortSignal},
): Promise<void> {
	signal.throwIfAborted();
	if (stream.writableLength > maxWaitingBytes) {
		throw notReading();
	}

	using cleanup = new DisposableStack();
	const {promise, resolve, reject} = Promise.withResolvers<void>();
	const wasTaken = stream.write(text, error => {
		if (error) {
			reject(error);
		} else {
			resolve();
		}
	});
	if (wasTaken) {
		// Nobody awaits this promise here; a broken pipe ends the connection anyway.
		promise.catch(() => {});
		return;
	}

	cleanup.defer(clock.after(maxWaitMs, () => reject(notReading())));
	const onAbort = () => reject(signal.reason);

	signal.addEventListener('abort', onAbort, {once: true});
	cleanup.defer(() => signal.removeEventListener('abort', onAbort));
	await promise;
}

/** The error for a message that the reader does not take from the pipe. */
export const notReading = (): SvcError =>
	new SvcError('mcp_connect_failed', 'The server does not read what it is sent');
