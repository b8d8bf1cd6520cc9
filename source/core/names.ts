const maxNameLength = 64;

/** Splits a text at white space: for long lists of names that are written as one text. */
export const wordsOf = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * The member of `known` nearest to `name`: at most two edits away (one for names of up to four characters), ignoring case;
 * the first of several. `undefined` when none is near.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
	if (name.length > maxNameLength) {
		return undefined;
	}

	const allowed = name.length <= 4 ? 1 : 2;
	const wanted = name.toLowerCase();
	const [best] = known
		.map(candidate => ({candidate, distance: editDistance(wanted, candidate.toLowerCase())}))
		.filter(({distance}) => distance <= allowed)
		.toSorted((a, b) => a.distance - b.distance);
	return best?.candidate;
}

/** `, did you mean "pull_request"`; empty when no name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
	const nearest = nearestName(name, known);
	return nearest === undefined ? '' : `, did you mean "${nearest}"`;
}

/** The number of insertions, deletions, replacements and swaps of neighbours between two texts. */
function editDistance(from: string, to: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({length: to.length + 1}, (_, index) => index);
	for (let row = 1; row <= from.length; row += 1) {
		const current = [row];
		for (let column = 1; column <= to.length; column += 1) {
			const same = from[row - 1] === to[column - 1];
			const swapped =
				row > 1 &&
				column > 1 &&
				from[row - 1] === to[column - 2] &&
				from[row - 2] === to[column - 1];
			current.push(
				Math.min(
					at(last, column) + 1,
					at(current, column - 1) + 1,
					at(last, column - 1) + (same ? 0 : 1),
					swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
				),
			);
		}

		beforeLast = last;
		last = current;
	}

	return at(last, to.length);
}

const at = (row: readonly number[], column: number): number =>
	row[column] ?? Number.POSITIVE_INFINITY;

/** A name that is unambiguous without quotation marks: letters, digits and connectors, as in identifiers. */
const plainName = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/**
 * Quotes an untrusted name (of an argument, a field of a payload, a header, a tool, an event) for use in a sentence: a plain word of at most 64 characters stays unchanged,
 * anything else becomes a JSON string. Not cleaned for a terminal.
 */
export const quotedName = quotedUnless(plainName);

/** Words with one blank between them. */
const plainTitle = /^(?=.{1,64}$)[\p{L}\p{N}](?: ?[\p{L}\p{M}\p{N}_.:'’/&+?!()-])*$/u;

/** As `quotedName`, for untrusted titles: several plain words need no quotation marks. */
export const quotedTitle = quotedUnless(plainTitle);

/** A path without outer blanks and without invisible characters. */
const plainPath = /^(?! )[\p{L}\p{N}\p{M}/ _.@+,=~()[\]-]*(?<! )$/u;

/** As `quotedName`, for paths. */
export const quotedPath = quotedUnless(plainPath);

function quotedUnless(plain: RegExp): (text: string) => string {
	return text => (plain.test(text) ? text : JSON.stringify(text));
}

/** Whether the whole `text` matches `pattern`, in which `*` matches any characters and every other character only itself. Linear in both. */
export function fitsStars(pattern: string, text: string): boolean {
	const [head = '', ...rest] = pattern.split('*');
	const tail = rest.pop();
	if (tail === undefined) {
		return text === pattern;
	}

	const end = text.length - tail.length;
	if (!text.startsWith(head) || end < head.length || !text.endsWith(tail)) {
		return false;
	}

	let from = head.length;
	for (const part of rest) {
		const found = text.indexOf(part, from);
		if (found === -1 || found + part.length > end) {
			return false;
		}

		from = found + part.length;
	}

	return true;
}

/** `4,812`. */
export const grouped = (count: number): string =>
	String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 event`, `2 events`, `4,812 events`; pass an irregular plural as `many`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
	`${grouped(count)} ${count === 1 ? one : many}`;

/** Removes `false`, `null` and `undefined` from a list, so that optional values can be written `condition && value`. */
export const compact = <Value>(
	values: ReadonlyArray<Value | false | null | undefined>,
): readonly Value[] =>
	values.filter(
		(value): value is Value => value !== false && value !== null && value !== undefined,
	);
