/** Lets a test wait for what a fake or a server has seen, without time: `look` is called after each change. */
export function createWatch() {
	const watchers = new Set<() => void>();
	return {
		look: () => {
			for (const watcher of watchers) {
				watcher();
			}
		},
		/** Resolves once `holds` does. */
		until: async (holds: () => boolean): Promise<void> => {
			const {promise, resolve} = Promise.withResolvers<void>();
			const watcher = () => {
				if (holds()) {
					resolve();
				}
			};

			watchers.add(watcher);
			watcher();
			await promise;
			watchers.delete(watcher);
		},
	};
}
