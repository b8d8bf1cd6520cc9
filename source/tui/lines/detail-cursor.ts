import type {PayloadField} from '../payload/payload-field.ts';
import type {ViewState} from '../state/view.ts';
import type {Line} from './line.ts';

/** The field of a payload that a row of a detail shows. */
export const fieldOf = (row: Line | undefined): PayloadField | undefined =>
	row?.find(span => span.field)?.field;

/** What a row of a detail is, whatever comes above it. */
export const pathOf = (row: Line | undefined): readonly string[] | undefined =>
	row?.find(span => span.at)?.at ?? fieldOf(row)?.path;

/** Where the chosen row of a detail is now. */
type DetailPlace = {
	readonly cursor: number;
	/** The first row that is shown. */
	readonly top: number;
	/** The payload field of the chosen row, if that row was found again: rows come and go above it. */
	readonly field: PayloadField | undefined;
};

/**
 * Finds the chosen row among `rows`; it keeps its place on the screen. A row of a block that was folded gives way to the head of that block. What is not there any more leaves
 * the row where it was.
 */
export function cursorIn(
	rows: readonly Line[],
	{detailCursor, detailTop, detailPath}: ViewState,
): DetailPlace {
	const asBefore = {cursor: detailCursor, top: detailTop, field: undefined};
	if (!detailPath) {
		return asBefore;
	}

	const rowOf = (path: readonly string[], read: typeof pathOf) => {
		const shows = (row: Line | undefined) => isSamePath(read(row), path);
		return shows(rows[detailCursor]) ? detailCursor : rows.findIndex(shows);
	};

	const exact = rowOf(detailPath, pathOf);
	const cursor = exact === -1 ? rowOf(detailPath.slice(0, 1), blockOf) : exact;
	return cursor === -1
		? asBefore
		: {cursor, top: Math.max(0, detailTop + cursor - detailCursor), field: fieldOf(rows[cursor])};
}

/** Of the head of a block. */
const blockOf = (row: Line | undefined) => row?.find(span => span.at)?.at;

const isSamePath = (path: readonly string[] | undefined, other: readonly string[]): boolean =>
	path?.length === other.length && path.every((name, index) => name === other[index]);
