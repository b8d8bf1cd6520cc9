import {type MarkName, markNames, type TextRun} from './parse.ts';

/** The markup of a mark, and where the platform recognises it. */
export type Mark = {
	readonly open: string;
	readonly close: string;
	/** `anywhere`; `apart` from a mark that ends right before it, as in CommonMark; `alone`, with no letter, digit or mark beside it. Elsewhere a text goes without it. */
	readonly where: 'anywhere' | 'apart' | 'alone';
};

/** Markup within lines. */
export type InlineDialect = {
	/** Escapes text and neutralises mentions. The text may begin and end anywhere in a line. */
	readonly text: (text: string) => string;
	/** Missing marks are omitted. */
	readonly marks: {readonly [Name in MarkName]?: Mark};
	/** Whether marks can be nested; true when absent. */
	readonly nestsMarks?: boolean;
	readonly code: (text: string) => string;
	/** `words` are already rendered, `href` is as in `Run`. */
	readonly link: (words: string, href: string) => string;
	readonly lineBreak: string;
};

type Wrap = MarkName | 'href';

type Around = {
	/** The text before and behind the runs; only the nearest character counts. */
	readonly before: string;
	readonly after: string;
	/** The marks that are already open. */
	readonly within: ReadonlySet<Wrap>;
};

/** Renders runs in a dialect. Marks end with each line and do not touch blanks, since many platforms recognise no others. */
export function renderInline(runs: readonly TextRun[], dialect: InlineDialect): string {
	return linesOf(runs)
		.map(line => renderRuns(line, dialect, {before: '', after: '', within: new Set()}))
		.join(dialect.lineBreak);
}

/** Splits runs into lines. */
function linesOf(runs: readonly TextRun[]): ReadonlyArray<readonly TextRun[]> {
	let line: TextRun[] = [];
	const lines = [line];
	for (const run of runs) {
		for (const [index, text] of run.text.split('\n').entries()) {
			if (index > 0) {
				line = [];
				lines.push(line);
			}

			if (text !== '') {
				line.push({...run, text});
			}
		}
	}

	return lines;
}

/** Of marks that begin at one place, the longest is the outer one. */
function renderRuns(runs: readonly TextRun[], dialect: InlineDialect, around: Around): string {
	const wraps = wrapsOf(dialect, around.within);
	let output = '';
	/** The text before the next run. Not all of the output, which would be copied for each run. */
	let {before} = around;
	/** Whether the output ends with a closing mark, which would merge with another mark. */
	let isClosed = false;
	for (let index = 0; index < runs.length;) {
		const {wrap, end} = farthest(runs, index, wraps);
		const group = runs.slice(index, end);
		const {text = '', code, href = ''} = runs[index] ?? {};
		const place: Around = {
			before,
			after: runs[end]?.text ?? around.after,
			within: wrap ? new Set(around.within).add(wrap) : around.within,
		};
		const mark = wrap === undefined || wrap === 'href' ? undefined : dialect.marks[wrap];
		let written: string;
		if (mark) {
			const marked = renderMarked(group, mark, {dialect, place, isClosed});
			written = marked ?? renderRuns(group, dialect, place);
			isClosed = marked?.endsWith(mark.close) ?? false;
		} else if (wrap === 'href') {
			const words = renderRuns(group, dialect, {...place, before: '[', after: ']'});
			written = words.trim() === '' ? words : dialect.link(words, href);
			isClosed = false;
		} else {
			written = code ? dialect.code(text) : dialect.text(text);
			isClosed = false;
		}

		output += written;
		before = written || before;
		index = end;
	}

	return output;
}

/** Renders runs within a mark, excluding blanks at the ends; `undefined` where the platform would not recognise the mark. */
function renderMarked(
	runs: readonly TextRun[],
	mark: Mark,
	{
		dialect,
		place,
		isClosed,
	}: {readonly dialect: InlineDialect; readonly place: Around; readonly isClosed: boolean},
): string | undefined {
	const {open, close, where} = mark;
	const text = renderRuns(runs, dialect, {...place, before: open, after: close});
	const core = text.trim();
	const lead = text.slice(0, text.length - text.trimStart().length);
	const tail = text.slice(lead.length + core.length);
	const left = /.?$/su.exec((lead || place.before).slice(-2))?.[0] ?? '';
	const right = /^.?/su.exec(tail || place.after)?.[0] ?? '';
	const isRead =
		where === 'anywhere' ||
		(!(isClosed && lead === '') && (where === 'apart' || !/[\p{L}\p{N}]/u.test(left + right)));
	return core !== '' && isRead ? lead + open + core + close + tail : undefined;
}

const wrapsOf = ({marks, nestsMarks = true}: InlineDialect, within: ReadonlySet<Wrap>) =>
	(['href', ...markNames] as const).filter(
		wrap =>
			!within.has(wrap) &&
			(wrap === 'href' ||
				(marks[wrap] !== undefined && (nestsMarks || markNames.every(name => !within.has(name))))),
	);

function farthest(runs: readonly TextRun[], start: number, wraps: readonly Wrap[]) {
	let best: {readonly wrap?: Wrap; readonly end: number} = {end: start + 1};
	for (const wrap of wraps.filter(one => runs[start]?.[one])) {
		let end = start + 1;
		while (end < runs.length && runs[end]?.[wrap] === runs[start]?.[wrap]) {
			end += 1;
		}

		if (best.wrap === undefined || end > best.end) {
			best = {wrap, end};
		}
	}

	return best;
}
