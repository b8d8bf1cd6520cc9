import type {Interrupts} from './context.ts';

/** What a process exits with when a second signal cuts the drain short. */
const cutShort = 130;

export type AskedToStop = Disposable & {
	/** Resolves at the first signal that ends. */
	readonly asked: Promise<void>;
	/** Aborts with it. */
	readonly signal: AbortSignal;
	/** Aborts at the first SIGHUP that does not end. */
	readonly hungUp: AbortSignal;
};

/**
 * Resolves `asked` at the first SIGTERM, SIGINT or SIGHUP. A second one ends the process at once: whoever
 * sends two does not want to wait. `hangup: 'lets-go'`: SIGHUP is only told, however often it comes (a launcher sends it again). `interrupts`: SIGINT comes from there, and ends no process.
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
