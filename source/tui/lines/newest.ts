/** How many of a long list the palette offers: it is for what somebody remembers. */
export const recent = 50;

/** The last `count` items, the newest first. */
export const newest = <Item>(items: readonly Item[], count: number): readonly Item[] =>
	items.slice(-count).toReversed();
