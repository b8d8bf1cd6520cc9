/** Drops what was added first until at most `most` are left. */
export function keepNewest(known: Map<string, unknown>, most: number): void {
	for (const key of known.keys()) {
		if (known.size <= most) {
			return;
		}

		known.delete(key);
	}
}
