import {nearestName} from '../names.ts';
import type {Condition} from './payload-terms.ts';
import {namedTerm, wordsIn, type FilterWord} from './terms.ts';

/** Whether `item` matches. `now`: milliseconds since 1970, for relative times. */
export type Test<Item> = (item: Item, now: number) => boolean;

export type FilterOperator = ':' | '>' | '<' | '>=' | '<=';

/** A parsed word: a test, or the reason why it is ignored. */
export type TermResult<Item> =
	| {
			readonly test: Test<Item>;
			/** The test as data, for use in the queries of a store; absent if the test cannot be expressed as data. */
			readonly condition?: Condition;
			/** Set if the test reads the body: it then runs last, and only on items with a body. */
			readonly readsBody?: true;
			/** Why no item can match; the test is applied nevertheless. */
			readonly doubt?: string;
	  }
	| {readonly problem: string};

/** The kind of value of a term, for completion: any text, a number, a size (`10k`), a duration (`20`, `1s`), a moment (`5m`, `14:30`), one of `words`. */
export type TermValue = 'text' | 'number' | 'size' | 'duration' | 'moment' | 'word';

/** A term of a filter: the meaning of the name before the operator. */
export type Term<Item> = {
	readonly value: TermValue;
	/** Known values; others may be accepted, too. */
	readonly words?: readonly string[];
	/** Description in one line: `the route of its event`. */
	readonly says: string;
	/** An example of the whole word. */
	readonly example: string;
	/** Whether the name continues with a dotted path: `payload.pull_request.draft:true`. */
	readonly takesPath?: true;
	understand(value: string, operator: FilterOperator, path: string): TermResult<Item>;
};

/** The terms of one list. */
export type Vocabulary<Item> = {
	/** Terms by lower-case name, in the order of the help. A word with an unknown name is reported as a problem; in quotes it is free text. */
	readonly terms: ReadonlyMap<string, Term<Item>>;
	/** The term for `~ text`; absent if the items have no body. */
	readonly body?: Term<Item>;
	/** The lower-case text in which free words are searched. */
	haystack(item: Item): string;
};

/** A word of the filter: `text.slice(start, end)`. `problem`: why the word is ignored; `doubt`: why no item can match it. */
export type Piece = {
	readonly start: number;
	readonly end: number;
	readonly problem?: string;
	readonly doubt?: string;
};

export type Filter<Item> = {
	/** One per word, in order, without the blanks. */
	readonly pieces: readonly Piece[];
	/** The problem of the first piece that has one. */
	readonly problem?: string;
	/** The doubt of the first piece that has one. */
	readonly doubt?: string;
	/** Whether the filter has no valid word, so that every item matches. */
	readonly isEmpty: boolean;
	/** Whether a word reads the body; items without a body then do not match. */
	readonly readsBody: boolean;
	/** Conditions that every matching item meets; other items may meet them, too. */
	readonly conditions: readonly Condition[];
	readonly matches: Test<Item>;
};

/** Longest part of a filter that is parsed, in characters. */
export const maxFilterLength = 1000;

/**
 * Parses `name:value name>value -negation "phrase" free text ~ text`; all words must hold. An invalid word is
 * marked and ignored, so that the list stays useful while the filter is typed. Never throws; at most 1,000 characters are read.
 *
 * @see manual/terminal.md#filters
 */
export function parseFilter<Item>(text: string, vocabulary: Vocabulary<Item>): Filter<Item> {
	const found: Array<Exclude<TermResult<Item>, {readonly problem: string}>> = [];
	const pieces = wordsIn(text.slice(0, maxFilterLength)).map((word): Piece => {
		const result = understand(word, vocabulary);
		if ('problem' in result) {
			return {start: word.start, end: word.end, problem: result.problem};
		}

		found.push(result);
		const {doubt} = result;
		return {start: word.start, end: word.end, ...(doubt !== undefined && {doubt})};
	});

	// Tests of the body run only on items that match all other tests.
	const tests = found
		.toSorted((one, other) => Number(one.readsBody ?? false) - Number(other.readsBody ?? false))
		.map(({test}) => test);
	const problem = pieces.find(piece => piece.problem !== undefined)?.problem;
	const doubt = pieces.find(piece => piece.doubt !== undefined)?.doubt;
	return {
		pieces,
		...(problem === undefined ? {} : {problem}),
		...(doubt === undefined ? {} : {doubt}),
		isEmpty: tests.length === 0,
		readsBody: found.some(({readsBody}) => readsBody === true),
		conditions: found.flatMap(({condition}) => condition ?? []),
		matches: (item, now) => tests.every(test => test(item, now)),
	};
}

/** The terms of a vocabulary as a hint: `route: ms> since:`. */
export const termWords = <Item>({terms, body}: Vocabulary<Item>): string =>
	[...[...terms].map(([name, term]) => termWord(name, term)), ...(body ? ['~ text'] : [])].join(
		' ',
	);

/** The beginning of a word with this term: `route:`, `ms>`, `payload.…:`. */
const termWord = <Item>(name: string, {value, takesPath}: Term<Item>): string => {
	const operator = value === 'size' || value === 'duration' ? '>' : ':';
	return `${name}${takesPath ? '.…' : ''}${operator}`;
};

function understand<Item>(word: FilterWord, vocabulary: Vocabulary<Item>): TermResult<Item> {
	if (!word.closed) {
		return {problem: 'the closing " is missing'};
	}

	const isNegated = word.text.startsWith('-');
	const positive = positiveTest(isNegated ? word.text.slice(1) : word.text, vocabulary);
	if (!isNegated || 'problem' in positive) {
		return positive;
	}

	const {test, condition, readsBody} = positive;
	return {
		test: (item, now) => !test(item, now),
		...(condition && {condition: {...condition, isNegated: condition.isNegated !== true}}),
		...(readsBody && {readsBody}),
	};
}

function positiveTest<Item>(text: string, vocabulary: Vocabulary<Item>): TermResult<Item> {
	if (text.startsWith('~')) {
		return bodyTest(text.slice(1), vocabulary);
	}

	const [, name = '', path = '', operator = '', raw = ''] = namedTerm.exec(text) ?? [];
	const known = vocabulary.terms.get(name);
	const term = path === '' || known?.takesPath ? known : undefined;
	const value = (term ? raw : text).replaceAll('"', '');
	if (value === '') {
		return {problem: term ? `${name}${path}${operator} wants a value` : 'nothing to look for'};
	}

	if (term) {
		// `namedTerm` matches only these operators.
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion
		return term.understand(value, operator as FilterOperator, path.slice(1));
	}

	// A name before `//` is a protocol: a URL is free text.
	if (name !== '' && path === '' && !raw.startsWith('//')) {
		return {problem: unknownKey(name, vocabulary)};
	}

	const [, begun = ''] = /^([a-z]+)\.[^"]*$/.exec(text) ?? [];
	const pathTerm = vocabulary.terms.get(begun);
	if (pathTerm?.takesPath) {
		return {problem: `${begun} takes a path, an operator and a value: ${pathTerm.example}`};
	}

	const wanted = value.toLowerCase();
	return {
		test: item => vocabulary.haystack(item).includes(wanted),
		condition: {kind: 'word', text: wanted},
	};
}

function bodyTest<Item>(text: string, {body}: Vocabulary<Item>): TermResult<Item> {
	const value = text.replaceAll('"', '').trim();
	if (!body) {
		return {problem: '~ looks in payloads, and there are none here'};
	}

	return value === '' ? {problem: '~ wants a text'} : body.understand(value, ':', '');
}

function unknownKey<Item>(name: string, {terms}: Vocabulary<Item>): string {
	const names = [...terms.keys()];
	const near = nearestName(name, names) ?? names.find(key => key.startsWith(name));
	if (near !== undefined) {
		return `Unknown filter key ${name}: do you mean ${near}:?`;
	}

	const known = [...terms].map(([key, {takesPath}]) => `${key}${takesPath ? '.…' : ''}:`);
	return `Unknown filter key ${name}: use ${known.join(', ')}`;
}
