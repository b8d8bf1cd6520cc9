/** Numbers of places for rows with these keys, in their order. */
export type RowPlaces = (keys: readonly string[]) => readonly number[];

/**
 * Gives each row that is shown a place in the tree: who stays keeps it, who comes takes one that was left. So a row that scrolls out becomes the one that scrolls in, which
 * costs a new text; a place of its own for every row would be taken down and built up with each, which costs several times as much where events pour in.
 */
export function createRowPlaces(): RowPlaces {
	let last: ReadonlyMap<string, number> = new Map();
	return keys => {
		const shown = new Set(keys);
		const left = [...last].flatMap(([key, place]) => (shown.has(key) ? [] : [place]));
		const known = new Set(last.values());
		const others = keys.keys().filter(place => !known.has(place));
		const free = [...left, ...others].values();
		const places = new Map(
			keys.map(key => [key, last.get(key) ?? free.next().value ?? -1] as const),
		);
		last = places;
		return [...places.values()];
	};
}
