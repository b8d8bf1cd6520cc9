/** Whether `item` passes. `now` is milliseconds since 1970, for terms that are relative to the present. */
export type Test<Item> = (item: Item, now: number) => boolean;

export type FilterOperator = ':' | '>' | '<' | '>=' | '<=';

/** What one named term becomes: a test, or the reason why it is left out. */
export type TermResult<Item> = {readonly test: Test<Item>} | {readonly problem: string};

export type Term<Item> = (value: string, operator: FilterOperator) => TermResult<Item>;

/** The words that a list understands. */
export type Vocabulary<Item> = {
	/** By name, lower case. A word with another name has a problem; between quotes it is free text. */
	readonly terms: ReadonlyMap<string, Term<Item>>;
	/** Lower-case text in which free words are looked up. */
	haystack(item: Item): string;
};

/** A part of what was typed: `text.slice(start, end)`. `problem` says why it is not applied. */
export type Piece = {readonly start: number; readonly end: number; readonly problem?: string};

export type Filter<Item> = {
	/** One per word, in order; blanks belong to no piece. */
	readonly pieces: readonly Piece[];
	/** The problem of the first piece that has one. */
	readonly problem?: string;
	/** Whether everything passes. */
	readonly isEmpty: boolean;
	readonly matches: Test<Item>;
};

const maxFilterLength = 1000;

/**
 * Understands `name:value name>value -negation "phrase" free text`; all words must hold. A word that makes no sense is
 * marked and left out, the rest still applies, so that the list stays useful while somebody types. Never throws; at most 1,000 characters are read.
 */
export function parseFilter<Item>(text: string, vocabulary: Vocabulary<Item>): Filter<Item> {
	const tests: Array<Test<Item>> = [];
	const pieces = wordsOf(text.slice(0, maxFilterLength)).map(word => {
		const result = understand(word, vocabulary);
		if ('problem' in result) {
			return {start: word.start, end: word.end, problem: result.problem};
		}

		tests.push(result.test);
		return {start: word.start, end: word.end};
	});

	const problem = pieces.find(piece => piece.problem !== undefined)?.problem;
	return {
		pieces,
		...(problem === undefined ? {} : {problem}),
		isEmpty: tests.length === 0,
		matches: (item, now) => tests.every(test => test(item, now)),
	};
}

type Word = {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	readonly closed: boolean;
};

/** Splits at blanks that are not between quotes. */
function wordsOf(text: string): readonly Word[] {
	const words: Word[] = [];
	let at = 0;
	while (at < text.length) {
		if (text[at] === ' ') {
			at += 1;
			continue;
		}

		const start = at;
		let quoted = false;
		while (at < text.length && (quoted || text[at] !== ' ')) {
			quoted = text[at] === '"' ? !quoted : quoted;
			at += 1;
		}

		words.push({start, end: at, text: text.slice(start, at), closed: !quoted});
	}

	return words;
}

const namedTerm = /^([a-z]+)(:|>=|<=|>|<)(.*)$/s;

function understand<Item>(word: Word, vocabulary: Vocabulary<Item>): TermResult<Item> {
	if (!word.closed) {
		return {problem: 'the closing " is missing'};
	}

	const negated = word.text.startsWith('-');
	const positive = positiveTest(negated ? word.text.slice(1) : word.text, vocabulary);
	if (!negated || 'problem' in positive) {
		return positive;
	}

	return {test: (item, now) => !positive.test(item, now)};
}

function positiveTest<Item>(text: string, vocabulary: Vocabulary<Item>): TermResult<Item> {
	const [, name = '', operator = '', raw = ''] = namedTerm.exec(text) ?? [];
	const term = vocabulary.terms.get(name);
	const value = (term ? raw : text).replaceAll('"', '');
	if (value === '') {
		return {problem: term ? `${name}${operator} wants a value` : 'nothing to look for'};
	}

	if (term) {
		// The expression above lets nothing else through.
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion
		return term(value, operator as FilterOperator);
	}

	// The name before `//` is that of a protocol: an address is looked for as it stands.
	if (name !== '' && !raw.startsWith('//')) {
		return {problem: unknownKey(name, vocabulary)};
	}

	const wanted = value.toLowerCase();
	return {test: item => vocabulary.haystack(item).includes(wanted)};
}

function unknownKey<Item>(name: string, {terms}: Vocabulary<Item>): string {
	const known = [...terms.keys()].map(key => `${key}:`).join(', ');
	return `Unknown filter key ${name}: use ${known}`;
}
