import type {Size} from './view.ts';

/** Rows and columns of each region. They add up to exactly the size of the terminal. */
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
	/** Columns of the divider between the two. */
	readonly gutter: number;
	/** The column before the detail that tells the row which keys act on: 1 where there is such a row, else 0. */
	readonly mark: number;
	readonly showsList: boolean;
	readonly showsDetail: boolean;
};

export type LayoutWish = {
	/** Rows that banners take. */
	readonly banners: number;
	/** Rows that say how what is typed may go on. */
	readonly hints?: number;
	readonly hasDetail: boolean;
	/** Keys act on a row of the detail. */
	readonly hasCursor?: boolean;
	/** The list needs the whole width; the detail takes its place. */
	readonly isWide?: boolean | undefined;
	/** What the list has of the columns beside its detail, above 0 and below 1; absent: 0.58. */
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

/** List beside detail from 100 columns, one of them below. */
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
		// Beside a list the gutter gives the column: no text moves when the detail gets the keyboard.
		detailWidth: isSplit ? columns - gutterColumns - listWidth : columns - mark,
		gutter: isSplit ? gutterColumns - mark : 0,
		mark,
		showsList: isSplit || region === 'list' || !hasDetail,
		showsDetail: hasDetail && (isSplit || region === 'detail'),
	};
}
