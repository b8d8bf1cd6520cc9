import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import type {AgentRequest} from './runner.ts';

/** How long a run may go on, and how it is ended. */
export type RunScope = {
	/** Aborted when the run must end; its reason is a `SvcError`. */
	readonly signal: AbortSignal;
	/** Ends the run with `error`; the first reason stays. */
	readonly end: (error: SvcError) => void;
	/** What `work` becomes, unless the run must end before: then rejects at once, even if `work` ignores the signal. */
	race<Value>(work: Promise<Value>): Promise<Value>;
	/** Takes the timer and the listener away. */
	[Symbol.dispose](): void;
};

/** The scope of one run: ends with `run_timeout` after `timeoutMs`, and with `run_cancelled` when the request's signal aborts. */
export function createRunScope(
	{timeoutMs, signal}: Pick<AgentRequest, 'timeoutMs' | 'signal'>,
	clock: Clock,
): RunScope {
	const controller = new AbortController();
	const end = (error: SvcError) => controller.abort(error);

	const onAbort = () => {
		const {reason: cause} = signal;
		end(new SvcError('run_cancelled', 'Cannot finish the run: it was cancelled', {cause}));
	};

	const {promise: ended, reject} = Promise.withResolvers<never>();
	controller.signal.addEventListener('abort', () => reject(controller.signal.reason), {once: true});
	// It has a reader only while something is raced.
	ended.catch(() => {});

	signal.addEventListener('abort', onAbort, {once: true});
	if (signal.aborted) {
		onAbort();
	}

	const cancelTimer = clock.after(timeoutMs, () => {
		const text = `Cannot finish the run within ${timeoutMs / 1000} seconds: raise runs.timeout_seconds or give it less to do`;
		end(new SvcError('run_timeout', text));
	});

	return {
		signal: controller.signal,
		end,
		race: async work => Promise.race([ended, work]),
		[Symbol.dispose]() {
			cancelTimer();
			signal.removeEventListener('abort', onAbort);
		},
	};
}
