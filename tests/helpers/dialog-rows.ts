/** What stands inside of the border of the open dialog, row by row, blanks at the end cut. */
export const dialogRows = (lines: readonly string[]): readonly string[] =>
	lines.flatMap(row => {
		const [, inside] = /│(.*)│/.exec(row) ?? [];
		return inside === undefined ? [] : [inside.trimEnd()];
	});
