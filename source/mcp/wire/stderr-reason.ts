import {stripVTControlCharacters} from 'node:util';

/** What is around the sentence that says what is wrong: dumps of code and stacks, advice, progress. */
const noise: readonly RegExp[] = [
	// No word at all: blanks, carets, brackets, rules.
	/^[^\p{L}]*$/u,
	// The place of a throw, and stack frames.
	/^(?:file:\/\/|node:)?\S+:\d+$/,
	/^\s*at\s.+/,
	/^\s*throw\s.+;$/,
	/^\s*File ".*", line \d+/,
	/^Node\.js v\d/,
	/^(?:Bun|Deno) v\d/,
	// Fields of an error that was dumped.
	/^\s+\[?(?:errno|code|syscall|path|dest|hostname|address|port|requireStack|cause|url)\]?: /i,
	// npm's codes without a sentence, and where it keeps its log.
	/^npm (?:error|ERR!) (?:code|errno|syscall|path|dest|signal|\d{3}$|A complete log of this run)/i,
	/^npm (?:warn|notice|info)\b/i,
	/^\(node:\d+\) .*Warning\b/,
	/^\(Use `node --trace/,
	/^Unable to find image '.*' locally$/,
	// A program's list of options.
	/^\s*-/,
];

const complaint =
	/error|exception|fatal|panic|traceback|cannot|can't|couldn't|could not|unable|fail|not found|no such|no \w+ found|missing|required|invalid|unknown|unexpected|refused|denied|not permitted|must |not set|unset|expired|unsupported/i;

/** Levels of log lines, a time and a name before them. Looked for in the first characters alone: they go back and forth. */
const chatter = /^\W*(?:\S+\s+){0,3}\W*(?:info|debug|trace)\b/i;
const warning = /^\W*(?:\S+\s+){0,3}\W*warn/i;
const levelColumns = 60;

const hasLevel = (level: RegExp, line: string): boolean => level.test(line.slice(0, levelColumns));

/** `^^^^` below a line of code. */
const carets = /^\s*[\^~]+\s*$/;

const traceback = /Traceback \(most recent call last\):/;

/** A group of exceptions says how many there are, those below what is wrong. */
const isGroup = /\(\d+ sub-exceptions?\)$/;

/** What Python draws at the left of groups of exceptions. */
const gutter = /^\s*[|+]\s?/;

/**
 * The line of what a program wrote to its standard error that says what is wrong: the end of its last Python traceback, else its first complaint, else its usage, else what it
 * said last. Without escape sequences. `undefined` when it said nothing.
 */
export function reasonIn(written: readonly string[]): string | undefined {
	const lines = written.map(line => stripVTControlCharacters(line).trimEnd());
	const telling = lines.filter(
		(line, index) =>
			!noise.some(pattern => pattern.test(line)) &&
			!hasLevel(chatter, line) &&
			!isCode(lines, index),
	);
	const reason =
		endOfTraceback(lines) ??
		telling.find(line => complaint.test(line) && !hasLevel(warning, line)) ??
		telling.find(line => complaint.test(line)) ??
		telling.find(line => /^\s*usage\b/i.test(line)) ??
		telling.at(-1) ??
		lines.findLast(line => line.trim() !== '');
	return reason && `${reason.trim()}${causeIn(lines)}`;
}

/** What `TypeError: fetch failed` and the like keep to the dump. */
function causeIn(lines: readonly string[]): string {
	const cause = lines.map(line => /^\s+\[cause\]: (.*?)(?: \{)?$/.exec(line)?.[1]).find(Boolean);
	return cause === undefined ? '' : `: ${cause}`;
}

/** A line of code that a caret below points into. */
const isCode = (lines: readonly string[], index: number): boolean =>
	carets.test(lines[index + 1] ?? '');

function endOfTraceback(lines: readonly string[]): string | undefined {
	const start = lines.findLastIndex(line => traceback.test(line));
	if (start === -1) {
		return undefined;
	}

	const said = lines
		.slice(start + 1)
		.map(line => line.replace(gutter, ''))
		.filter(line => /^[\p{L}_]/u.test(line));
	return said.find(line => !isGroup.test(line)) ?? said[0];
}
