import type {Size} from './view.ts';

/** Rows and columns of each region; they add up to exactly the terminal's size. */
export type Layout = {
	readonly isTooSmall: boolean;
	/** Rows between the pane rule and the last row. */
	readonly bodyHeight: number;
	/** Rows of banners. */
	readonly banners: number;
	/** Rows between the body and the last row. */
	readonly hints: number;
	readonly listWidth: number;
	readonly detailWidth: number;
	/** Columns of the divider between list and detail. */
	readonly gutter: number;
	/** Cells of the column before the detail that marks its selected row; 0 if it has none. */
	readonly mark: number;
	readonly showsList: boolean;
	readonly showsDetail: boolean;
};

export type LayoutWish = {
	/** Rows that banners take. */
	readonly banners: number;
	/** Rows for completions of what is typed. */
	readonly hints?: number;
	readonly hasDetail: boolean;
	/** The detail has a selected row. */
	readonly hasCursor?: boolean;
	/** The list needs the full width, so the detail replaces it. */
	readonly isWide?: boolean | undefined;
	/** The list's share of the columns beside its detail, between 0 and 1; absent: 0.58. */
	readonly listShare?: number | undefined;
	readonly region: 'list' | 'detail';
	readonly isZoomed: boolean;
};

export const smallest: Size = {columns: 60, rows: 16};

const splitColumns = 100;
const gutterColumns = 3;
const usualShare = 0.58;

/** Status, tabs, pane rule and the last row. */
const frameRows = 4;

/** From 100 columns on, list and detail side by side; below, one of the two. */
export function screenLayout({columns, rows}: Size, wish: LayoutWish): Layout {
	const {banners, hasDetail, isWide, region, isZoomed, listShare = usualShare, hints = 0} = wish;
	const mark = hasDetail && wish.hasCursor === true ? 1 : 0;
	const isSplit = columns >= splitColumns && hasDetail && !isWide && !isZoomed;
	const listWidth = isSplit ? Math.floor((columns - gutterColumns) * listShare) : columns;
	return {
		isTooSmall: columns < smallest.columns || rows < smallest.rows,
		bodyHeight: Math.max(0, rows - frameRows - banners - hints),
		banners,
		hints,
		listWidth,
		// Beside a list, the mark is in the gutter, so that text does not move when the detail is focused.
		detailWidth: isSplit ? columns - gutterColumns - listWidth : columns - mark,
		gutter: isSplit ? gutterColumns - mark : 0,
		mark,
		showsList: isSplit || region === 'list' || !hasDetail,
		showsDetail: hasDetail && (isSplit || region === 'detail'),
	};
}
