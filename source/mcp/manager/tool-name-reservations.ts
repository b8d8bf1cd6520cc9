/** Tracks which names the servers' tools reserve. Calls `onOthersChanged` with each server whose `takenFor` changes in names that concern it. */
export function createToolNameReservations(onOthersChanged: (server: string) => void) {
	const reserved = new Map<string, ReadonlySet<string>>();
	return {
		/** The names reserved by all other servers. */
		takenFor: (server: string): ReadonlySet<string> =>
			new Set([...reserved].flatMap(([name, names]) => (name === server ? [] : [...names]))),
		/** Sets the names that a server reserves; none when it is removed. Notifies servers that reserve a name which was added or removed. */
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
