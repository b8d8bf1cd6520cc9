import type {PayloadField} from '../payload/payload-field.ts';
import type {ViewState} from '../state/view.ts';
import type {Line} from './line.ts';

/** The payload field that a detail's row shows. */
export const fieldOf = (row: Line | undefined): PayloadField | undefined =>
	row?.find(span => span.field)?.field;

/** The path that identifies a detail's row, whatever is above it. */
export const pathOf = (row: Line | undefined): readonly string[] | undefined =>
	row?.find(span => span.at)?.at ?? fieldOf(row)?.path;

/** Where the selected row of a detail is now. */
type DetailPlace = {
	readonly cursor: number;
	/** The first visible row. */
	readonly top: number;
	/** The payload field of the selected row, if that row was found again: rows are added and removed above it. */
	readonly field: PayloadField | undefined;
};

/**
 * Finds the selected row among `rows`, and keeps its position on the screen. If its block was folded, the block's head is selected instead. If neither exists, the
 * position stays unchanged.
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

/** The path of a block's head. */
const blockOf = (row: Line | undefined) => row?.find(span => span.at)?.at;

const isSamePath = (path: readonly string[] | undefined, other: readonly string[]): boolean =>
	path?.length === other.length && path.every((name, index) => name === other[index]);
