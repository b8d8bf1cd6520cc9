import {fitsStars, nearestName} from '../names.ts';
import type {FilterOperator, Term} from './filter.ts';

/** The description of a term. */
type TermWords = Pick<Term<never>, 'says' | 'example'> & {
	/** The values of the term, if they are a known list. */
	readonly words?: readonly string[];
	/** Name of the field in stored rows; absent if a store cannot filter by it. */
	readonly field?: string;
};

/**
 * A term over text. `a,b` means either. A pattern with `*` must fit the whole text, any other may occur anywhere in it.
 * Case does not matter.
 */
export const textTerm = <Item>(
	read: (item: Item) => string,
	{says, example, words, field}: TermWords,
): Term<Item> => ({
	value: words ? 'word' : 'text',
	...(words && {words}),
	says,
	example,
	understand(value, operator) {
		if (operator !== ':') {
			return {problem: `"${operator}" compares numbers only`};
		}

		const patterns = patternsOf(value);
		const lost = words && patterns.find(pattern => !words.some(word => fits(pattern, word)));
		return {
			test: item => fitsAny(patterns, read(item)),
			...(words && lost !== undefined && {doubt: noneOf(lost, words)}),
			...(field !== undefined && {condition: {kind: 'text', field, patterns}}),
		};
	},
});

/** The message about a value that is not in `known`, with the nearest known value or a list of them. */
export function noneOf(value: string, known: readonly string[]): string {
	const near = nearestName(value, known);
	return near === undefined
		? `"${value}" is none of ${known.slice(0, maxNamed).join(', ')}${known.length > maxNamed ? ', …' : ''}`
		: `there is no "${value}": do you mean ${near}?`;
}

const maxNamed = 12;

/** The patterns of a value, in lower case. */
export const patternsOf = (value: string): readonly string[] =>
	value
		.toLowerCase()
		.split(',')
		.filter(pattern => pattern !== '');

/** Whether one of the lower-case patterns fits `text`. */
export function fitsAny(patterns: readonly string[], text: string): boolean {
	const lower = text.toLowerCase();
	return patterns.some(pattern => fits(pattern, lower));
}

/** Whether a pattern fits `text`; both in lower case. */
export const fits = (pattern: string, text: string): boolean =>
	pattern.includes('*') ? fitsStars(pattern, text) : text.includes(pattern);

/** The comparison of each operator. */
export const compares: Readonly<Record<FilterOperator, (left: number, right: number) => boolean>> =
	{
		':': (left, right) => left === right,
		'>': (left, right) => left > right,
		'<': (left, right) => left < right,
		'>=': (left, right) => left >= right,
		'<=': (left, right) => left <= right,
	};

/** A comparison of `field` with `value` as data. */
const numberCondition = (field: string, operator: FilterOperator, value: number) =>
	({
		kind: 'number',
		field,
		...((operator === ':' || operator === '>' || operator === '>=') && {from: value}),
		...((operator === ':' || operator === '<' || operator === '<=') && {to: value}),
		...(operator === '>' && {isOver: true}),
		...(operator === '<' && {isUnder: true}),
	}) as const;

/** Suffixes of numbers, in lower case, with their factors; `''`: no suffix. */
type Units = Readonly<Record<string, number>>;

/** The units of plain numbers. */
const noUnits: Units = {'': 1};

/** Parses a number with its unit; `undefined` for anything else. */
function numberIn(value: string, units: Units): number | undefined {
	const [, digits = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,6})?)([a-z]*)$/i.exec(value) ?? [];
	const factor = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined;
	return digits === '' || factor === undefined ? undefined : Number(digits) * factor;
}

/** A term over a number. `read` returns `NaN` for no number, for which no comparison holds. */
export const numberTerm = <Item>(
	read: (item: Item) => number,
	{
		says,
		example,
		field,
		units = noUnits,
		value: kind = 'number',
	}: TermWords & {readonly units?: Units; readonly value?: 'number' | 'size' | 'duration'},
): Term<Item> => ({
	value: kind,
	says,
	example,
	understand(value, operator) {
		const wanted = numberIn(value, units);
		if (wanted === undefined) {
			return {problem: `"${value}" is not a number here`};
		}

		const compare = compares[operator];
		return {
			test: item => compare(read(item), wanted),
			...(field !== undefined && {condition: numberCondition(field, operator, wanted)}),
		};
	},
});

const secondsOf: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600, d: 86_400};

/** A term over a time: `5m` (s, m, h, d ago) or `14:30` (the last time the local clock showed it). */
export const sinceTerm = <Item>(
	read: (item: Item) => number,
	{says, example, field}: TermWords,
): Term<Item> => ({
	value: 'moment',
	says,
	example,
	understand(value, operator) {
		const from = operator === ':' ? momentIn(value) : undefined;
		return from
			? {
					test: (item, now) => read(item) >= from(now),
					...(field !== undefined && {condition: {kind: 'since', field, from}}),
				}
			: {problem: 'since: takes 5m or 14:30'};
	},
});

/** Parses a time to a function that computes the moment from `now`; `undefined` for anything else. */
function momentIn(value: string): ((now: number) => number) | undefined {
	const [, amount = '', unit = ''] = /^(\d{1,5})([smhd])$/.exec(value) ?? [];
	const seconds = secondsOf[unit];
	if (seconds !== undefined) {
		const agoMs = Number(amount) * seconds * 1000;
		return now => now - agoMs;
	}

	const [, hours = '', minutes = ''] = /^(\d{1,2}):(\d{2})$/.exec(value) ?? [];
	return hours === '' || Number(hours) > 23 || Number(minutes) > 59
		? undefined
		: now => lastTimeOf(Number(hours), Number(minutes), now);
}

function lastTimeOf(hours: number, minutes: number, now: number): number {
	const today = new Date(now);
	today.setHours(hours, minutes, 0, 0);
	if (today.getTime() > now) {
		today.setDate(today.getDate() - 1);
	}

	return today.getTime();
}

/** The terms of a vocabulary by name. */
export const termsOf = <Item>(
	terms: Readonly<Record<string, Term<Item>>>,
): ReadonlyMap<string, Term<Item>> => new Map(Object.entries(terms));

/** A typed word of a filter. */
export type FilterWord = {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	/** All quotes are closed. */
	readonly closed: boolean;
};

/** Splits at blanks outside of quotes. `~` includes the next word. */
export const wordsIn = (text: string): readonly FilterWord[] =>
	[...text.matchAll(/-?~(?: *(?:"[^"]*"?|[^ "])+)?|(?:"[^"]*"?|[^ "])+/g)].map(found => ({
		start: found.index,
		end: found.index + found[0].length,
		text: found[0],
		closed: (found[0].split('"').length - 1) % 2 === 0,
	}));

/** Matches a word with a name: name, path with its dot, operator, value. */
export const namedTerm = /^([a-z]+)((?:\.[^\s:<>="]+)?)(:|>=|<=|>|<)(.*)$/s;
