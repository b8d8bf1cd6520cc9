/**
 * Looks like `@` and is no mention. A zero-width character behind the sign would do too, but hidden characters are what this program
 * removes elsewhere; wrapping names in backticks can be undone by a backtick that a stranger puts in front of them.
 */
const harmlessAt = '＠';

/**
 * Markdown without mentions: every `@` that may begin a mention becomes `＠`. Addresses (`ops@example.com`) stay, and so does code that is
 * certain: fenced blocks that begin in the first column, and `spans` within one line. A text with a construct that could make a code host see
 * less code than we do (raw HTML, other fences, an unpaired backtick, mathematics) has no certain code.
 */
export function neutraliseMentions(text: string): string {
	const lines = text.split('\n');
	const fenced = fencedLines(lines);
	const parts = lines.map((line, index) => (fenced.has(index) ? [] : partsOf(line)));
	const trusted = parts.every((part, index) => fenced.has(index) || isCertain(lines[index], part));
	if (!trusted) {
		return withoutMentions(text);
	}

	return lines
		.map((line, index) =>
			fenced.has(index)
				? line
				: (parts[index] ?? [])
						.map((part, turn) => (turn % 2 === 0 ? withoutMentions(part) : part))
						.join(''),
		)
		.join('\n');
}

/** Numbers of the lines in fenced code blocks, fences included. */
function fencedLines(lines: readonly string[]): ReadonlySet<number> {
	const fenced = new Set<number>();
	let fence = '';
	for (const [index, line] of lines.entries()) {
		const isOpen = fence !== '';
		fence ||= /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[0] ?? '';
		if (fence !== '') {
			fenced.add(index);
		}

		const [, closing = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
		if (isOpen && closing.startsWith(fence)) {
			fence = '';
		}
	}

	return fenced;
}

/**
 * A line in turns: text, code span, text, …; `undefined` when a backtick has no partner. A line that may be a row of a table is text:
 * rows are cut into cells before backticks are read.
 */
function partsOf(line: string): readonly string[] | undefined {
	const pieces = line.split(/(`+)/);
	const parts: string[] = [];
	let next = 0;
	for (let open = 1; open < pieces.length; open = next + 1) {
		const close = pieces.indexOf(pieces[open] ?? '', open + 1);
		if (close === -1) {
			return undefined;
		}

		parts.push(pieces[open - 1] ?? '', pieces.slice(open, close + 1).join(''));
		next = close + 1;
	}

	return line.includes('|') ? [line] : [...parts, pieces.at(-1) ?? ''];
}

const isCertain = (line = '', parts?: readonly string[]): boolean =>
	parts !== undefined &&
	!/~{3}|\\`|\$`|`\$|\$\$/.test(line) &&
	!parts.some((part, turn) => turn % 2 === 0 && /<[a-z!?/]/i.test(part));

const entity = /&(?:#0{0,8}64|#x0{0,8}40|commat);?/gi;

const withoutMentions = (text: string) =>
	text.replace(entity, harmlessAt).replace(/(?<![A-Za-z0-9])@/g, harmlessAt);
