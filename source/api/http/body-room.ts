/** Where the bodies of all requests under way find room together. */
export type BodyRoom = ReturnType<typeof createBodyRoom>;

export type BodyPlace = Disposable & {
	/** Takes room for so many more bytes; `false` when there is none. */
	take(bytes: number): boolean;
};

const mostBytes = 256 * 1024 * 1024;

/** So that one key cannot shut out the others. */
const mostOfKey = mostBytes / 2;

/** Bounds what a body costs besides its own limit: thousands of large ones, sent slowly or answered slowly, would fill the memory of the gateway. */
export function createBodyRoom() {
	const held = new Map<string, number>();
	let all = 0;
	return {
		/** The place of one request; what it took is free again when that ends. */
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
