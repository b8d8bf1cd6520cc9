import type {Vocabulary} from './filter.ts';
import {fits, noneOf, patternsOf, namedTerm, wordsIn} from './terms.ts';

/** A field of the payload on the screen: its path of names and indexes, and its value as JSON unless it is an object or a list. */
export type KnownField = {readonly path: readonly string[]; readonly json?: string};

/** Known values of terms, in addition to `Term.words`. */
export type Known = {
	/** The values of the term `term` that occur. */
	values(term: string): readonly string[];
	/** Whether `values(term)` has all possible values. */
	isWhole(term: string): boolean;
	fields(): readonly KnownField[];
};

/** Completions: each of `words` replaces `text.slice(start)`. */
export type Proposals = {readonly start: number; readonly words: readonly string[]};

/** Most proposals. */
const maxWords = 60;

const maxWordLength = 100;

const maxFields = 3000;

/** Proposed values for a time. */
const moments = ['10m', '1h', '1d'];

/**
 * Completions of the last word of a filter: names of terms, values of a term, fields of a payload. Those that begin with the word come first, then
 * those that contain it. No completions for text in quotes, after `~`, or for a complete word.
 */
export function propose<Item>(text: string, vocabulary: Vocabulary<Item>, known: Known): Proposals {
	const last = wordsIn(text).at(-1);
	const word = last?.end === text.length ? last.text : '';
	const positive = word.replace(/^-/, '');
	const at = text.length - positive.length;
	const [, name = '', path = '', operator = '', value = ''] = namedTerm.exec(positive) ?? [];
	const term = vocabulary.terms.get(name);
	if (term && operator !== '' && (path === '' || term.takesPath)) {
		if (operator !== ':') {
			return nothing(text);
		}

		const {start, words} = valuesFor(
			value,
			text.length,
			path === '' ? valuesOf(term, name, known) : valueAt(path, known),
		);
		// Not every term accepts a list `a,b`: keep only completions that parse.
		const [, before] = /^(.*,)/.exec(value) ?? [];
		return {
			start,
			words:
				before === undefined
					? words
					: words.filter(one => !('problem' in term.understand(before + one, ':', path))),
		};
	}

	const [, ofPath, beginning] = /^([a-z]+)\.([^\s:<>="]*)$/.exec(positive) ?? [];
	if (ofPath !== undefined && beginning !== undefined && vocabulary.terms.get(ofPath)?.takesPath) {
		return pathsFor(beginning, text.length, known);
	}

	return /^[a-z]*$/.test(positive) ? namesFor(positive, at, vocabulary) : nothing(text);
}

const nothing = (text: string): Proposals => ({start: text.length, words: []});

function namesFor<Item>(typed: string, start: number, {terms}: Vocabulary<Item>): Proposals {
	const names = [...terms].map(([name, {value, takesPath}]) => {
		const operator = value === 'size' || value === 'duration' ? '>' : ':';
		return `${name}${takesPath ? '.' : operator}`;
	});
	return {start, words: names.filter(name => name.startsWith(typed))};
}

type TermValues = {readonly value: string; readonly words?: readonly string[]};

const valuesOf = ({value, words = []}: TermValues, name: string, known: Known) => [
	...words,
	...(value === 'moment' ? moments : known.values(name)),
];

/** Completions of the last typed pattern. */
function valuesFor(value: string, length: number, known: readonly string[]): Proposals {
	const typed = value.slice(value.lastIndexOf(',') + 1);
	const wanted = typed.replaceAll('"', '').toLowerCase();
	// An open quote spans all patterns; only the first can be completed within it.
	const isOpen = (value.slice(0, value.length - typed.length).split('"').length - 1) % 2 === 1;
	const holding = isOpen
		? []
		: [...new Set(known)].filter(
				one => (one === '*' || isTypable(one)) && one.toLowerCase().includes(wanted),
			);
	const begins = (one: string) => one.toLowerCase().startsWith(wanted);
	const words = [...holding.filter(begins), ...holding.filter(one => !begins(one))]
		.slice(0, maxWords)
		.map(one => (one.includes(' ') ? `"${one}"` : one));
	return {
		start: length - typed.length,
		words: words.length === 1 && words[0] === typed ? [] : words,
	};
}

/** Whether a value can be written as a literal pattern, and has no invisible characters. */
const isTypable = (value: string): boolean =>
	value !== '' && value.length <= maxWordLength && !/[",*\p{C}\p{Zl}\p{Zp}]/u.test(value);

/** The fields with their paths as in filters: relative to the object `payload`, if there is one. */
function fieldsFrom(known: Known): readonly KnownField[] {
	const fields = known.fields().slice(0, maxFields);
	const wrapped = fields.filter(({path: [first], path}) => first === 'payload' && path.length > 1);
	return wrapped.length === 0
		? fields
		: wrapped.map(field => ({...field, path: field.path.slice(1)}));
}

/** Completions of a path, one name further. */
function pathsFor(typed: string, length: number, known: Known): Proposals {
	const names = typed.split('.');
	const last = names.pop() ?? '';
	const below = new Map<string, boolean>();
	for (const {path} of fieldsFrom(known)) {
		const name = path[names.length];
		if (
			name !== undefined &&
			/^[^\s:<>=".\p{C}]+$/u.test(name) &&
			name.toLowerCase().startsWith(last.toLowerCase()) &&
			names.every((part, index) => part === path[index])
		) {
			below.set(name, below.get(name) === true || path.length > names.length + 1);
		}
	}

	const words = [...below].map(([name, goesOn]) => `${name}${goesOn ? '.' : ':'}`);
	return {start: length - last.length, words: words.slice(0, maxWords)};
}

/** Proposed values for a path that begins with a dot: its value, and `*`. */
function valueAt(path: string, known: Known): readonly string[] {
	const wanted = path.slice(1);
	const found = fieldsFrom(known).find(field => field.path.join('.') === wanted);
	const value: unknown = found?.json === undefined ? undefined : JSON.parse(found.json);
	return found === undefined ? [] : [...(found.json === undefined ? [] : [String(value)]), '*'];
}

/** Result of one press of the completion key. */
export type CompletedText = {
	readonly text: string;
	/** The typed text, and the index of the inserted proposal (-1: their common beginning), for the next press. */
	readonly from: string;
	readonly index: number;
};

/**
 * Completes `text` by the only proposal, the common beginning of all, or the first; at further presses by the next one (`step` 1) or the one before (-1). `undefined` without
 * proposals.
 */
export function completeFilterText(
	text: string,
	{
		last,
		step,
		proposalsFor,
	}: {
		readonly last: CompletedText | undefined;
		readonly step: 1 | -1;
		readonly proposalsFor: (text: string) => Proposals;
	},
): CompletedText | undefined {
	const isAgain = last?.text === text && proposalsFor(last.from).words.length > 1;
	const from = isAgain ? last.from : text;
	const {start, words} = proposalsFor(from);
	const typed = from.slice(start);
	const common = isAgain ? '' : commonStart(words);
	if (words.length > 1 && common.length > typed.length && isStart(typed, common)) {
		return {text: from.slice(0, start) + common, from, index: -1};
	}

	const now = isAgain ? last.index : -1;
	const index =
		now === -1 && step === -1 ? words.length - 1 : (now + step + words.length) % words.length;
	const word = words[index];
	return word === undefined ? undefined : {text: from.slice(0, start) + word, from, index};
}

const isStart = (typed: string, whole: string): boolean =>
	whole.toLowerCase().startsWith(typed.toLowerCase());

function commonStart(words: readonly string[]): string {
	const [first = '', ...others] = words;
	let length = first.length;
	for (const other of others) {
		while (!other.startsWith(first.slice(0, length))) {
			length -= 1;
		}
	}

	return first.slice(0, length);
}

/** Why a word of the filter cannot match, if all values of its term are known: `there is no "gh-reviw": do you mean gh-review?`. */
export function unknownValue<Item>(
	text: string,
	{terms}: Vocabulary<Item>,
	known: Known,
): string | undefined {
	for (const {text: word, closed} of wordsIn(text)) {
		const [, name = '', path = '', operator = '', value = ''] =
			namedTerm.exec(word.replace(/^-/, '')) ?? [];
		if (closed && path === '' && operator === ':' && terms.has(name) && known.isWhole(name)) {
			const values = known.values(name);
			const lost = patternsOf(value.replaceAll('"', '')).find(
				pattern => !values.some(one => fits(pattern, one.toLowerCase())),
			);
			if (lost !== undefined && values.length > 0) {
				return `${name}: ${noneOf(lost, values)}`;
			}
		}
	}

	return undefined;
}
