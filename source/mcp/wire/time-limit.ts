import type {Clock} from '../../core/clock.ts';

/** A signal that aborts with `signal`, or after `ms` with the reason returned by `reason`. Disposing stops the timer. */
export function timeLimit(
	clock: Clock,
	ms: number,
	{signal, reason}: {signal?: AbortSignal | null | undefined; reason?: () => unknown} = {},
): Disposable & {readonly signal: AbortSignal} {
	const late = new AbortController();
	const cancel = clock.after(ms, () => late.abort(reason?.()));
	return {
		signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
		[Symbol.dispose]: cancel,
	};
}
