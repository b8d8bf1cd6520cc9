import {structuredPatch} from 'diff';

/** Unchanged lines around a change. */
const context = 3;

/** Above this number of differing lines the diff replaces the whole text. */
const maxEditLength = 2000;

const maxLines = 2000;

/**
 * The difference from `before` to `after` in the form of `diff -u` without its first two lines: `@@ -2,3 +2,4 @@`, then lines that begin with a blank, `-` or `+`. Empty when nothing differs. `from`:
 * number of the first line. At most 2,000 lines, then `…`.
 */
export function unifiedDiff(before: string, after: string, from = 1): readonly string[] {
	const [old, next] = [withLineEnd(before), withLineEnd(after)];
	const options = {context, maxEditLength};
	const {hunks} = structuredPatch('', '', old, next, '', '', options) ?? wholeChange(old, next);
	const place = (start: number, count: number) =>
		`${start + from - (count === 0 ? 2 : 1)},${count}`;
	const lines = hunks.flatMap(({oldStart, oldLines, newStart, newLines, lines: changed}) => [
		`@@ -${place(oldStart, oldLines)} +${place(newStart, newLines)} @@`,
		...changed,
	]);
	return lines.length > maxLines ? [...lines.slice(0, maxLines), '…'] : lines;
}

const withLineEnd = (text: string): string =>
	text === '' || text.endsWith('\n') ? text : `${text}\n`;

function wholeChange(before: string, after: string) {
	const [old, next] = [before, after].map(text => text.split('\n').slice(0, -1));
	const [oldLines, newLines] = [old?.length ?? 0, next?.length ?? 0];
	const lines = [...(old ?? []).map(line => `-${line}`), ...(next ?? []).map(line => `+${line}`)];
	return {hunks: [{oldStart: 1, oldLines, newStart: 1, newLines, lines}]};
}
