/** The memory shared by the bodies of all requests under way. */
export type BodyRoom = ReturnType<typeof createBodyRoom>;

export type BodyPlace = Disposable & {
	/** Reserves this many more bytes; `false` when there is not enough room. */
	take(bytes: number): boolean;
};

const mostBytes = 256 * 1024 * 1024;

/** Limit per key, so that one key cannot shut out others. */
const mostOfKey = mostBytes / 2;

/** Limits the total size of bodies: thousands of large ones, sent or answered slowly, would otherwise fill the gateway's memory. */
export function createBodyRoom() {
	const held = new Map<string, number>();
	let all = 0;
	return {
		/** The reservation of one request; disposing of it frees its bytes. */
		open(key: string): BodyPlace {
			let own = 0;
			return {
				take(bytes) {
					const ofKey = held.get(key) ?? 0;
					if (all + bytes > mostBytes || ofKey + bytes > mostOfKey) {
						return false;
					}

					own += bytes;
					all += bytes;
					held.set(key, ofKey + bytes);
					return true;
				},
				[Symbol.dispose]() {
					const left = (held.get(key) ?? 0) - own;
					all -= own;
					own = 0;
					if (left > 0) {
						held.set(key, left);
					} else {
						held.delete(key);
					}
				},
			};
		},
	};
}
