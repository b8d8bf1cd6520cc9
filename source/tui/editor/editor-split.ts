const splitColumns = 100;
const formShare = 0.55;

/** Blank cells between the two. */
export const gutterCells = 2;

/** The cells of the form of a route, and of what its draft would do: beside each other where there is room, else one below the other. */
export function editorSplit(width: number): {
	readonly isSplit: boolean;
	readonly formWidth: number;
	readonly sideWidth: number;
} {
	const isSplit = width >= splitColumns;
	const formWidth = isSplit ? Math.floor((width - gutterCells) * formShare) : width;
	return {isSplit, formWidth, sideWidth: isSplit ? width - formWidth - gutterCells : width};
}
