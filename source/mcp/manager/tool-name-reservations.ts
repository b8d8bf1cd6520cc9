/** `onOthersChanged` is called with the name of a server whose `takenFor` is different in what concerns it. */
export function createToolNameReservations(onOthersChanged: (server: string) => void) {
	const reserved = new Map<string, ReadonlySet<string>>();
	return {
		/** What all other servers have reserved. */
		takenFor: (server: string): ReadonlySet<string> =>
			new Set([...reserved].flatMap(([name, names]) => (name === server ? [] : [...names]))),
		/** The names that a server reserves now; none: it is gone. Others that reserved one that came or went are told. */
		reserve(server: string, names: ReadonlySet<string>): void {
			const before = reserved.get(server) ?? new Set();
			const difference = before.symmetricDifference(names);
			if (difference.size === 0) {
				return;
			}

			reserved.set(server, names);
			for (const [name, others] of reserved) {
				if (name !== server && !others.isDisjointFrom(difference)) {
					onOthersChanged(name);
				}
			}
		},
	};
}
