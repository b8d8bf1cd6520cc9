import MiniSearch from 'minisearch';
import SearchableMap from 'minisearch/SearchableMap';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {Tool} from '../core/tool.ts';
import {queryWords, stemOf, searchWords, type AskedWord} from './search-words.ts';

/** Indexed fields of a tool, with their weights. */
const boost = {
	name: 2.5,
	title: 2,
	server: 2,
	summary: 1.5,
	more: 0.7,
	parameters: 0.7,
	about: 0.4,
};

type Indexed = {readonly id: number} & Readonly<Record<keyof typeof boost, string>>;

/** Maximum length of a title, and of a description, characters. */
const maxTitle = 200;
const maxDescription = 600;

/** Maximum length of the texts of a tool's parameters, characters; a schema may have 256 KiB. */
const maxParameterText = 600;
const maxParameters = 50;
const maxSchemaDepth = 4;

/** Weight of a word that only begins with the query's word. */
const prefixWeight = 0.6;

/** Weight of a word that is spelled slightly differently from the query's word. */
const errorWeight = 0.7;

/** Additional weight of a tool whose complete name is in the query. */
const wholeName = 0.7;

/** With more distinct words than this, no prefixes are searched: that visits all words with the prefix at once. */
const maxPrefixWords = 20_000;

/** Minimum length of a word that may be a prefix, such as `repo`. */
const leastPrefix = 3;

/** Number of tools indexed before yielding to the event loop: some milliseconds, however long descriptions are. */
const chunkSize = 25;

/** Finds the tools that a query may mean, best first. */
export type ToolIndex = {find(question: string, limit: number): readonly Tool[]};

/**
 * An index of the names and descriptions of tools (BM25+). A query word counts once, by its best form: unchanged, as a synonym, or, if no tool has it, as a similarly
 * spelled word. Tools score higher with more of the words, and with their complete name in the query; those named exactly come first.
 */
export async function createToolIndex(tools: readonly Tool[]): Promise<ToolIndex> {
	const vocabulary = new Set<string>();
	const index = new MiniSearch<Indexed>({
		fields: Object.keys(boost),
		tokenize: text =>
			searchWords(text).map(word => {
				vocabulary.add(word);
				return stemOf(word);
			}),
		processTerm: term => term,
		searchOptions: {
			boost,
			tokenize: term => [term],
			weights: {prefix: prefixWeight, fuzzy: 0},
		},
	});
	await index.addAllAsync(
		tools.map((tool, id) => ({id, ...textsOf(tool)})),
		{chunkSize},
	);
	const byName = new Map(tools.map(tool => [tool.name, tool]));
	const nearest = createNearest(vocabulary);

	/** Number of words in each name. */
	const nameLengths = tools.map(
		tool =>
			ownName(tool)
				.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u)
				.filter(part => searchWords(part).length > 0).length,
	);

	/** The inverse document frequency of BM25 for a word in `count` tools. */
	const rarityOf = (count: number) => Math.log(1 + (tools.length - count + 0.5) / (count + 0.5));

	/** Scores of the tools for one word. */
	const scoresOf = ({word, forms}: AskedWord): Scores => {
		const hits = forms.map(({terms, weight}) => {
			const [first = ''] = terms;
			// Only a word as written may be a prefix.
			const prefix =
				word !== undefined &&
				weight === 1 &&
				first.length >= leastPrefix &&
				vocabulary.size <= maxPrefixWords;
			return {weight, found: index.search({combineWith: 'AND', queries: [...terms]}, {prefix})};
		});
		// All forms count as one word: a rare form must not score higher than the others.
		const rarity = rarityOf(new Set(hits.flatMap(({found}) => found.map(({id}) => id))).size);
		const best = new Map<number, number>();
		const named = new Set<number>();
		for (const {found, weight} of hits) {
			const share = (weight * rarity) / rarityOf(found.length);
			for (const {id, score, match} of found) {
				best.set(Number(id), Math.max(best.get(Number(id)) ?? 0, score * share));
				if (Object.values(match).some(fields => fields.includes('name'))) {
					named.add(Number(id));
				}
			}
		}

		return {best, named};
	};

	/** Scores for a query; a word that no tool has is replaced by a similar one. */
	const scoresOfQuestion = (question: string): readonly Scores[] =>
		queryWords(question).flatMap(asked => {
			const scores = scoresOf(asked);
			if (scores.best.size > 0) {
				return [scores];
			}

			const meant = asked.word && nearest(asked.word);
			return meant === undefined
				? []
				: queryWords(meant)
						.map(scoresOf)
						.map(({best, named}) => ({
							named,
							best: new Map([...best].map(([id, score]) => [id, score * errorWeight])),
						}));
		});

	return {
		find(question, limit) {
			const named = question.split(/[\s,;"'`]+/).flatMap(word => byName.get(word) ?? []);
			const known = scoresOfQuestion(question);
			const sums = new Map<number, {score: number; words: number; named: number}>();
			for (const scores of known) {
				for (const [id, score] of scores.best) {
					const sum = sums.get(id) ?? {score: 0, words: 0, named: 0};
					sums.set(id, {
						score: sum.score + score,
						words: sum.words + 1,
						named: sum.named + Number(scores.named.has(id)),
					});
				}
			}

			const ranked = [...sums]
				.map(([id, sum]) => ({
					id,
					score:
						sum.score *
						(sum.words / known.length) *
						(1 + wholeName * Math.min(1, sum.named / Math.max(1, nameLengths[id] ?? 1))),
				}))
				.toSorted((a, b) => b.score - a.score || a.id - b.id)
				.flatMap(({id}) => tools[id] ?? []);
			return [...new Set([...named, ...ranked])].slice(0, limit);
		},
	};
}

/** The name that the tool's server uses. */
const ownName = ({name, asked}: Tool): string =>
	asked?.from.kind === 'server' ? asked.tool : name;

/** Scores of tools for a word, and the tools with the word in their names. */
type Scores = {readonly best: ReadonlyMap<number, number>; readonly named: ReadonlySet<number>};

/** Finds the probably intended word: one edit away, or two from six letters on. Built only when first needed. */
function createNearest(words: ReadonlySet<string>): (word: string) => string | undefined {
	let tree: SearchableMap<true> | undefined;
	return word => {
		if (word.length < 5 || word.length > 30 || words.size > maxPrefixWords) {
			return undefined;
		}

		tree ??= SearchableMap.from([...words].map(known => [known, true] as const));
		const near = [...tree.fuzzyGet(word, word.length < 6 ? 1 : 2)];
		const [best] = near.toSorted(([, [, one]], [, [, other]]) => one - other);
		return best?.[0];
	};
}

function textsOf(tool: Tool): Omit<Indexed, 'id'> {
	const {title = '', description, inputSchema, asked} = tool;
	const server = asked?.from.kind === 'server' ? asked.from.server : '';
	const text = description.slice(0, maxDescription);
	const [summary = ''] = /^.{1,200}?(?:[.!?\n](?=\s|$)|$)/s.exec(text) ?? [text.slice(0, 200)];
	return {
		name: ownName(tool),
		server,
		title: title.slice(0, maxTitle),
		summary,
		more: text.slice(summary.length),
		...parametersOf(inputSchema),
	};
}

/** Names and descriptions of the arguments, including nested ones. */
function parametersOf(schema: JsonValue): {readonly parameters: string; readonly about: string} {
	const names: string[] = [];
	let length = 0;
	let about = '';
	const walk = (value: JsonValue | undefined, depth: number) => {
		if (!isJsonObject(value) || depth > maxSchemaDepth) {
			return;
		}

		const {properties, items} = value;
		for (const [name, property] of isJsonObject(properties) ? Object.entries(properties) : []) {
			if (
				names.length >= maxParameters ||
				length >= maxParameterText ||
				about.length >= maxParameterText
			) {
				return;
			}

			names.push(name.slice(0, 100));
			length += Math.min(name.length, 100);
			if (isJsonObject(property) && typeof property['description'] === 'string') {
				about += `${property['description'].slice(0, 200)}\n`;
			}

			walk(property, depth + 1);
		}

		walk(items, depth + 1);
	};

	walk(schema, 0);
	return {parameters: names.join(' '), about};
}
