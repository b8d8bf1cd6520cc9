const turn = async (): Promise<void> => {
	await new Promise<void>(resolve => {
		setImmediate(resolve);
	});
};

/** Two questions to a table whose rows lie in order of their number. */
export type Scan<Found> = {
	/** The lowest number of the next stretch below `top`; `undefined` when there is none. */
	floorOf(top: number): number | undefined;
	/** What matches from `floor` on and below `top`, newest first, at most `count`. */
	find(stretch: {
		readonly floor: number;
		readonly top: number;
		readonly count: number;
	}): readonly Found[];
};

/**
 * Up to `limit` matches, newest first. A rare match needs a long look: the table is read in stretches, with a turn of the event loop
 * between them, instead of paying for an index at every accept.
 */
export async function newestFirst<Found>(
	scan: Scan<Found>,
	{before, limit}: {readonly before: number; readonly limit: number},
): Promise<readonly Found[]> {
	const found: Found[] = [];
	for (let top = before; ;) {
		const floor = scan.floorOf(top);
		if (floor === undefined) {
			return found;
		}

		found.push(...scan.find({floor, top, count: limit - found.length}));
		if (found.length >= limit) {
			return found;
		}

		top = floor;
		// oxlint-disable-next-line no-await-in-loop -- the turn is the point
		await turn();
	}
}

/** `limit` as an integer from 1 to `most`. */
export const pageOf = (limit: number, most = 1000): number =>
	Math.min(Math.max(Math.trunc(limit) || 1, 1), most);
