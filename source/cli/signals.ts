const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** What a process exits with when a second signal cuts the drain short. */
const cutShort = 130;

/**
 * Resolves `asked` at the first SIGTERM, SIGINT or SIGHUP. A second one ends the process at once: whoever
 * sends two does not want to wait.
 */
export function whenAskedToStop(): Disposable & {readonly asked: Promise<void>} {
	const {promise: asked, resolve} = Promise.withResolvers<void>();
	let count = 0;
	const onSignal = () => {
		count++;
		if (count > 1) {
			// oxlint-disable-next-line unicorn/no-process-exit -- the only way out that waits for nothing
			process.exit(cutShort);
		}

		resolve();
	};

	for (const signal of signals) {
		process.on(signal, onSignal);
	}

	return {
		asked,
		[Symbol.dispose]() {
			for (const signal of signals) {
				process.off(signal, onSignal);
			}
		},
	};
}
