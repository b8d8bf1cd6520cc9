import {stripVTControlCharacters} from 'node:util';

/** Lines around the actual error: dumps of code and stacks, advice, progress. */
const noise: readonly RegExp[] = [
	// Lines without a word: blanks, carets, brackets, rules.
	/^[^\p{L}]*$/u,
	// The location of a throw, and stack frames.
	/^(?:file:\/\/|node:)?\S+:\d+$/,
	/^\s*at\s.+/,
	/^\s*throw\s.+;$/,
	/^\s*File ".*", line \d+/,
	/^Node\.js v\d/,
	/^(?:Bun|Deno) v\d/,
	// Fields of a dumped error.
	/^\s+\[?(?:errno|code|syscall|path|dest|hostname|address|port|requireStack|cause|url)\]?: /i,
	// npm's codes without a sentence, and the path of its log.
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

/** Log lines of low level, with an optional time and name before it. Matched only against the beginning of a line, because the pattern backtracks. */
const chatter = /^\W*(?:\S+\s+){0,3}\W*(?:info|debug|trace)\b/i;
const warning = /^\W*(?:\S+\s+){0,3}\W*warn/i;
const levelColumns = 60;

const hasLevel = (level: RegExp, line: string): boolean => level.test(line.slice(0, levelColumns));

/** `^^^^` below a line of code. */
const carets = /^\s*[\^~]+\s*$/;

const traceback = /Traceback \(most recent call last\):/;

/** An exception group gives its number of exceptions; those below it say what is wrong. */
const isGroup = /\(\d+ sub-exceptions?\)$/;

/** Python's decoration at the left of exception groups. */
const gutter = /^\s*[|+]\s?/;

/**
 * The line of a program's standard error that says what is wrong: the end of its last Python traceback, else its first complaint, else its usage, else its last
 * line. Without escape sequences. `undefined` without output.
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

/** The cause that `TypeError: fetch failed` and similar errors show only in the dump. */
function causeIn(lines: readonly string[]): string {
	const cause = lines.map(line => /^\s+\[cause\]: (.*?)(?: \{)?$/.exec(line)?.[1]).find(Boolean);
	return cause === undefined ? '' : `: ${cause}`;
}

/** A line of code with a caret below it. */
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
