/** Which tool names each server claims, so that two that meet are both told apart, whoever came first. */
export type Claims = {
	/** What all other servers claim. */
	takenFor(server: string): ReadonlySet<string>;
	/** The names that a server claims now; none: it is gone. Others that claim one that came or went are told. */
	claim(server: string, names: ReadonlySet<string>): void;
};

/** `onOthersChanged` is called with the name of a server whose `takenFor` is different in what concerns it. */
export function createClaims(onOthersChanged: (server: string) => void): Claims {
	const claimed = new Map<string, ReadonlySet<string>>();
	return {
		takenFor: server =>
			new Set([...claimed].flatMap(([name, names]) => (name === server ? [] : [...names]))),
		claim(server, names) {
			const before = claimed.get(server) ?? new Set();
			const difference = before.symmetricDifference(names);
			if (difference.size === 0) {
				return;
			}

			claimed.set(server, names);
			for (const [name, others] of claimed) {
				if (name !== server && !others.isDisjointFrom(difference)) {
					onOthersChanged(name);
				}
			}
		},
	};
}
