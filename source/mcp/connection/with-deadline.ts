import {type Clock, within} from '../../core/clock.ts';
import {ConnectError, passing} from '../wire/connect-error.ts';
import {timeLimit} from '../wire/time-limit.ts';

type Limits = {readonly clock: Clock; readonly timeoutMs: number; readonly signal: AbortSignal};

/**
 * Runs `task` with a signal that aborts with `signal` or after `timeoutMs`, and rejects at that moment even if `task` ignores it: with the reason of `signal`, or
 * as below. `message` is called only at the time-out.
 *
 * @throws ConnectError with `message`: another try may succeed
 */
export async function withDeadline<T>(
	{clock, timeoutMs, signal, message}: Limits & {readonly message: () => string},
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	signal.throwIfAborted();
	const reason = () => new ConnectError(passing(message()));
	using limit = timeLimit(clock, timeoutMs, {signal, reason});
	const limited = limit.signal;
	const {promise: aborted, reject} = Promise.withResolvers<never>();
	limited.addEventListener('abort', () => reject(limited.reason), {once: true});
	return await Promise.race([
		// Replaces the SDK's own abort error by the reason.
		task(limited).catch((error: unknown) => {
			limited.throwIfAborted();
			throw error;
		}),
		aborted,
	]);
}

/** Waits for `promise`, at most `timeoutMs`. Rejects as it does, and with the reason of `signal`. */
export async function waitAtMost(
	{clock, timeoutMs, signal}: Limits,
	promise: Promise<unknown>,
): Promise<void> {
	const {promise: over, resolve} = Promise.withResolvers<void>();
	const cancel = clock.after(timeoutMs, resolve);
	try {
		await within(Promise.race([promise, over]), signal);
	} finally {
		cancel();
	}
}
