/** Tells of marks once per turn of the event loop, however many there were. Disposal forgets what has not been told. */
export type ChangeBatch = Disposable & {mark(name: string): void};

export function createChangeBatch(tell: (name: string) => void): ChangeBatch {
	const marked = new Set<string>();
	let planned: NodeJS.Immediate | undefined;
	let disposed = false;
	return {
		mark(name) {
			if (disposed) {
				return;
			}

			marked.add(name);
			planned ??= setImmediate(() => {
				planned = undefined;
				const names = [...marked];
				marked.clear();
				for (const each of names) {
					tell(each);
				}
			});
		},
		[Symbol.dispose]() {
			disposed = true;
			clearImmediate(planned);
		},
	};
}
