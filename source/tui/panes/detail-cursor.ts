import type {PayloadField} from '../payload/payload-field.ts';
import type {ViewState} from '../state/view.ts';
import type {Line} from './line.ts';

/** The field of a payload that a row of a detail shows. */
export const fieldOf = (row: Line | undefined): PayloadField | undefined =>
	row?.find(span => span.field)?.field;

/** Where the chosen row of a detail is now. */
export type DetailPlace = {
	readonly cursor: number;
	/** The first row that is shown. */
	readonly top: number;
	/** What the chosen row shows, if it is what was chosen: rows come and go above it. */
	readonly field: PayloadField | undefined;
};

/** Finds the chosen field among `rows`; it keeps its place on the screen. What is not there any more leaves the row where it was. */
export function placeIn(
	rows: readonly Line[],
	{detailCursor, detailTop, detailPath}: ViewState,
): DetailPlace {
	const asBefore = {cursor: detailCursor, top: detailTop, field: undefined};
	if (!detailPath) {
		return asBefore;
	}

	const shows = (row: Line | undefined) => isSamePath(fieldOf(row)?.path, detailPath);
	const cursor = shows(rows[detailCursor]) ? detailCursor : rows.findIndex(shows);
	return cursor === -1
		? asBefore
		: {
				cursor,
				top: Math.max(0, detailTop + cursor - detailCursor),
				field: fieldOf(rows[cursor]),
			};
}

const isSamePath = (path: readonly string[] | undefined, other: readonly string[]): boolean =>
	path?.length === other.length && path.every((name, index) => name === other[index]);
