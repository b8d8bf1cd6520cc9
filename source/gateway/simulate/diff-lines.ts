import {escapeLine} from '../../core/untrusted.ts';

const maxLines = 20;

const maxLineLength = 200;

/**
 * Where two texts differ, a line each: `- ` before, `+ ` after; lines at the start and at the end that are the same are left out. At most 20 lines of each,
 * clean.
 */
export function diffLines(before: string, after: string): readonly string[] {
	const old = before.split('\n');
	const next = after.split('\n');
	const start = sameAt(old, next);
	const end = Math.min(
		sameAt(old.toReversed(), next.toReversed()),
		Math.min(old.length, next.length) - start,
	);
	return [
		...marked('- ', old.slice(start, old.length - end)),
		...marked('+ ', next.slice(start, next.length - end)),
	];
}

/** How many lines two texts have in common from their first one on. */
function sameAt(one: readonly string[], other: readonly string[]): number {
	const different = one.findIndex((line, index) => line !== other[index]);
	return different === -1 ? one.length : different;
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
	const shown = lines.slice(0, maxLines).map(line => mark + escapeLine(line, maxLineLength));
	return lines.length > maxLines
		? [...shown, `${mark}… ${lines.length - maxLines} more lines`]
		: shown;
}
