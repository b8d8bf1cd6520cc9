import type {Safe} from '../../core/untrusted.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {empty, safe} from '../../terminal/text/safe.ts';
import {clean, type Line} from '../lines/line.ts';

/** Drawn with, not written: bars, rules, and letters made of blocks. */
const drawn = /^[\s\u2500-\u259F]+$/u;

/** Signs that stand before what they mean; the word behind most of them says the same. */
const signs: Readonly<Record<string, string>> = {
	'✗': 'failed:',
	'✓': 'ok:',
	'!': 'attention:',
	'⚑': 'flagged:',
	'↶': 'replay:',
	'*': 'marked:',
	'●': '',
	'○': '',
	'◐': '',
	'-': '',
	'>': '',
};

const wordOf = (text: string): string => {
	const [, blanks = '', sign = '', rest = ''] =
		/^(\s*)([✗✓!⚑↶*●○◐>-])(?=\s|$)(.*)$/su.exec(text) ?? [];
	const word = signs[sign];
	return word === undefined || (sign === '-' && rest.trim() === '')
		? text
		: `${blanks}${word}${rest}`;
};

const joined = (parts: readonly Safe[]): Safe =>
	parts.reduce((text, part) => safe`${text}${part}`, empty);

/** A rule with a name in it is the name. A sparkline, where nothing is a dot, says nothing to the ear. */
const unruled = (text: string): string =>
	text.replaceAll(/(?:^|(?<=\s))(?:─+|[·\u2581-\u2588]{2,})(?=\s|$)/gu, '');

/** A sparkline that begins a line: what follows is only its caption. */
const isPicture = (line: Line): boolean =>
	/^\s*[·\u2581-\u2588]{2,}$/u.test(line.find(({text}) => text.trim() !== '')?.text ?? '');

/** Cells that stand apart are heard apart. */
const squeezed = (text: string): string =>
	text
		.trim()
		.replaceAll(/(?<=[:,])\s+/g, ' ')
		.replaceAll(/\s{2,}/g, ', ')
		.replaceAll(/\s+/g, ' ');

/** A row says once that it needs a person. */
const once = (text: string): string => {
	const [first = '', ...rest] = text.split('attention: ');
	return rest.length < 2 ? text : `${first}attention: ${rest.join('')}`;
};

/** A line of ours without what is only drawn, in words as they are heard: blanks between columns say nothing. */
export function spoken(line: Line): Safe {
	if (isPicture(line)) {
		return empty;
	}

	const parts = line
		.filter(({text}) => !drawn.test(text) || text.trim() === '')
		.map(({text}) => clean(unruled(wordOf(text))));
	return clean(once(squeezed(joined(parts))).replaceAll(' · ', ', '));
}

const marks: ReadonlySet<string> = new Set(Object.values(gutter));

/** A line that is read exactly: every character of what is asked, and `|` in the first column where it belongs to the line above. */
export function exact(line: Line): Safe {
	const text = joined(line.map(span => span.text)).trimEnd();
	return marks.has(text.slice(0, 1)) ? clean(`|${text.slice(1)}`) : clean(text);
}

/** The lines that say something. */
export const spokenLines = (lines: readonly Line[]): readonly Safe[] =>
	lines.map(spoken).filter(text => text !== '');

/** The names of columns, of which each stands two blanks from the next. */
export const columnNames = (header: Safe): Safe =>
	clean(
		header
			.trim()
			.split(/\s{2,}/)
			.join(', '),
	);
