import {nearestName} from '../names.ts';
import type {Condition} from './payload-terms.ts';
import {namedTerm, wordsIn, type FilterWord} from './terms.ts';

/** Whether `item` passes. `now` is milliseconds since 1970, for terms that are relative to the present. */
export type Test<Item> = (item: Item, now: number) => boolean;

export type FilterOperator = ':' | '>' | '<' | '>=' | '<=';

/** What one word becomes: a test, or the reason why it is left out. */
export type TermResult<Item> =
	| {
			readonly test: Test<Item>;
			/** The same for those who ask many rows at once; absent where a row has to be looked at. */
			readonly condition?: Condition;
			/** It reads what was received: asked last, and only of items that have it. */
			readonly readsBody?: true;
			/** Why nothing can pass it. It is applied all the same. */
			readonly doubt?: string;
	  }
	| {readonly problem: string};

/** What the value of a term may be, for whoever completes it: any text, a number, a size (`10k`), a duration (`20`, `1s`), a moment (`5m`, `14:30`), one of `words`. */
export type TermValue = 'text' | 'number' | 'size' | 'duration' | 'moment' | 'word';

/** A term of a filter: what is typed before the operator, and what it means. */
export type Term<Item> = {
	readonly value: TermValue;
	/** What it takes, where that is a known list; others may be taken besides. */
	readonly words?: readonly string[];
	/** One line for a person, as in `the route's name`. */
	readonly says: string;
	/** The whole word, as it is typed. */
	readonly example: string;
	/** Its name goes on with a dotted path: `payload.pull_request.draft:true`. */
	readonly takesPath?: true;
	understand(value: string, operator: FilterOperator, path: string): TermResult<Item>;
};

/** The words that a list understands. */
export type Vocabulary<Item> = {
	/** By name, lower case, in the order in which they are told of. A word with another name has a problem; between quotes it is free text. */
	readonly terms: ReadonlyMap<string, Term<Item>>;
	/** What `~ text` looks in, where that is known. */
	readonly body?: Term<Item>;
	/** Lower-case text in which free words are looked up. */
	haystack(item: Item): string;
};

/** A part of what was typed: `text.slice(start, end)`. `problem` says why it is not applied, `doubt` why nothing can pass it. */
export type Piece = {
	readonly start: number;
	readonly end: number;
	readonly problem?: string;
	readonly doubt?: string;
};

export type Filter<Item> = {
	/** One per word, in order; blanks belong to no piece. */
	readonly pieces: readonly Piece[];
	/** The problem of the first piece that has one. */
	readonly problem?: string;
	/** The doubt of the first piece that has one. */
	readonly doubt?: string;
	/** Whether everything passes. */
	readonly isEmpty: boolean;
	/** Whether a word of it reads what was received: an item without its body does not pass. */
	readonly readsBody: boolean;
	/** What holds for every item that passes. May be less than the filter says, never more. */
	readonly conditions: readonly Condition[];
	readonly matches: Test<Item>;
};

/** Characters of a filter that are read. */
export const maxFilterLength = 1000;

/**
 * Understands `name:value name>value -negation "phrase" free text ~ text`; all words must hold. A word that makes no sense is
 * marked and left out, the rest still applies, so that the list stays useful while somebody types. Never throws; at most 1,000 characters are read.
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

	// What reads a body is asked only of what passes otherwise.
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

/** The terms of a vocabulary as a hint lists them: `route: ms> since:`. */
export const termWords = <Item>({terms, body}: Vocabulary<Item>): string =>
	[...[...terms].map(([name, term]) => termWord(name, term)), ...(body ? ['~ text'] : [])].join(
		' ',
	);

/** How a term begins: `route:`, `ms>`, `payload.…:`. */
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
		// The expression above lets nothing else through.
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion
		return term.understand(value, operator as FilterOperator, path.slice(1));
	}

	// The name before `//` is that of a protocol: an address is looked for as it stands.
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
