import type {Interrupts} from './context.ts';

/** The exit code when a second signal cuts the drain short. */
const cutShort = 130;

export type AskedToStop = Disposable & {
	/** Resolves at the first terminating signal. */
	readonly asked: Promise<void>;
	/** Aborts at the same time. */
	readonly signal: AbortSignal;
	/** Aborts at the first SIGHUP that does not terminate. */
	readonly hungUp: AbortSignal;
};

/**
 * Resolves `asked` at the first SIGTERM, SIGINT or SIGHUP. A second one exits the process at once, because its sender does not want to wait. `hangup: 'lets-go'`:
 * SIGHUP only aborts `hungUp`, however often it comes (a launcher repeats it). `interrupts`: the source of SIGINT, which then never exits the process.
 */
export function whenAskedToStop({
	hangup = 'ends',
	interrupts,
}: {
	readonly hangup?: 'ends' | 'lets-go';
	readonly interrupts?: Interrupts | undefined;
} = {}): AskedToStop {
	const {promise: asked, resolve} = Promise.withResolvers<void>();
	const ending = new AbortController();
	const hangingUp = new AbortController();
	let count = 0;
	const onSignal = () => {
		count++;
		if (count > 1) {
			// oxlint-disable-next-line unicorn/no-process-exit -- the only way out that waits for nothing
			process.exit(cutShort);
		}

		ending.abort();
		resolve();
	};

	const onHangup = () => {
		if (hangup === 'ends') {
			onSignal();
		} else {
			hangingUp.abort();
		}
	};

	const handlers = [
		['SIGTERM', onSignal],
		...(interrupts ? [] : [['SIGINT', onSignal] as const]),
		['SIGHUP', onHangup],
	] as const;
	for (const [signal, handler] of handlers) {
		process.on(signal, handler);
	}

	const onInterrupt = () => {
		count = Math.max(count, 1);
		ending.abort();
		resolve();
	};

	interrupts?.on('SIGINT', onInterrupt);

	return {
		asked,
		signal: ending.signal,
		hungUp: hangingUp.signal,
		[Symbol.dispose]() {
			for (const [signal, handler] of handlers) {
				process.off(signal, handler);
			}

			interrupts?.off('SIGINT', onInterrupt);
		},
	};
}
