import {type Clock, within} from '../../core/clock.ts';
import {ConnectError} from '../wire/connect-error.ts';

/**
 * Does `task` with a signal that aborts with `signal` or after `timeoutMs`, and rejects at that moment, whether `task` notices or not:
 * with the reason of `signal`, or as below.
 *
 * @throws ConnectError with `message`: another try may succeed
 */
export async function withDeadline<T>(
	{
		clock,
		timeoutMs,
		signal,
		message,
	}: {
		readonly clock: Clock;
		readonly timeoutMs: number;
		readonly signal: AbortSignal;
		/** Asked for when the time is over. */
		readonly message: () => string;
	},
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	signal.throwIfAborted();
	const controller = new AbortController();
	const {promise: aborted, reject} = Promise.withResolvers<never>();
	controller.signal.addEventListener(
		'abort',
		() => {
			reject(controller.signal.reason);
		},
		{once: true},
	);
	const follow = () => {
		controller.abort(signal.reason);
	};

	signal.addEventListener('abort', follow, {once: true});
	const cancel = clock.after(timeoutMs, () => {
		controller.abort(new ConnectError({kind: 'passing', message: message()}));
	});
	try {
		return await Promise.race([
			// An SDK that was aborted says so in words of its own.
			task(controller.signal).catch((error: unknown) => {
				controller.signal.throwIfAborted();
				throw error;
			}),
			aborted,
		]);
	} finally {
		cancel();
		signal.removeEventListener('abort', follow);
	}
}

/** Waits for `promise`, but no longer than `timeoutMs`. Rejects as it does, and with the reason of `signal`. */
export async function waitAtMost(
	limits: {readonly clock: Clock; readonly timeoutMs: number; readonly signal: AbortSignal},
	promise: Promise<unknown>,
): Promise<void> {
	const {promise: over, resolve} = Promise.withResolvers<void>();
	const cancel = limits.clock.after(limits.timeoutMs, resolve);
	try {
		await within(Promise.race([promise, over]), limits.signal);
	} finally {
		cancel();
	}
}
