/**
 * Looks like `@` but mentions nobody. The alternatives are worse: a zero-width character after `@` is a hidden character, which this program removes elsewhere, and a
 * backtick written by a stranger before a name undoes backticks around it.
 */
const harmlessAt = '＠';

/**
 * Markdown without mentions: every `@` that may begin a mention becomes `＠`. Addresses (`ops@example.com`) stay, and so does certain code: fenced blocks that begin in the
 * first column, and code spans within one line. No code is certain in a text with constructs that may make a code host see less code than we do (raw HTML, other fences, an
 * unpaired backtick, mathematics).
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

/** Indexes of the lines in fenced code blocks, including the fences. */
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
 * The parts of a line, alternately text and code span, text first; `undefined` if a backtick has no partner. A line that may be a table row is one text: rows are split
 * into cells before backticks are parsed.
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
