import {
	isAlias,
	isMap,
	isScalar,
	isSeq,
	parseDocument,
	visit,
	type Document,
	type YAMLMap,
	type ErrorCode,
} from 'yaml';
import {compact} from '../core/names.ts';
import type {KeyPath} from './plain-data.ts';
import {createPositions, type Position} from './text-positions.ts';

/** An error of the parser. */
type SourceProblem = Position & {readonly key: string; readonly message: string};

/** A parsed YAML text, with positions in the text. */
export type YamlSource = {
	/** Plain data; `null` for an empty file. Valid only when `problems` is empty. */
	readonly value: unknown;
	readonly problems: readonly SourceProblem[];
	/** The position of the value at `path`, or of its nearest existing ancestor. */
	positionOf(path: KeyPath): Position;
	/** The position of the last key of `path`. */
	positionOfKey(path: KeyPath): Position;
};

/** Most aliases: enough for shared anchors, while a file that doubles its data nine times is refused. */
const maxAliases = 100;

/** Most syntax errors that are reported: one causes most of the errors below it. */
const maxFaults = 3;

/** Most problems that are reported: finding the position of each costs time. */
export const maxProblems = 100;

/** Parses one YAML 1.2 document. Never throws; messages hold keys, never values. */
export function parseYamlSource(text: string): YamlSource {
	const document = parseDocument(text, {
		prettyErrors: false,
		// This check is quadratic; `findMistakes` does it.
		uniqueKeys: false,
		logLevel: 'error',
	});
	const positionAt = createPositions(text);
	const {value, faults} = dataOf(document);
	return {
		value,
		problems: faults
			.slice(0, maxProblems)
			.map(({offset, key = '', message}) => ({...positionAt(offset), key, message})),
		positionOf: path => positionAt(find(document, path).value),
		positionOfKey: path => positionAt(find(document, path).key),
	};
}

type Fault = {
	readonly offset: number | undefined;
	readonly key?: string;
	readonly message: string;
};

function dataOf(document: Document.Parsed): {
	readonly value: unknown;
	readonly faults: readonly Fault[];
} {
	const faults = faultsIn(document);
	if (faults.length > 0) {
		return {value: null, faults};
	}

	try {
		const mistakes = findMistakes(document);
		return mistakes.length > 0
			? {value: null, faults: mistakes}
			: {value: document.toJS({maxAliasCount: maxAliases}), faults: mistakes};
	} catch {
		// Aliases that name each other in a circle or double at each step, or nesting that exhausts the stack.
		return {
			value: null,
			faults: [{offset: 0, message: 'has aliases or nesting that grow without bound'}],
		};
	}
}

/** Errors of the parser in the order of the text: the first few, and the number of the rest. One unclosed bracket spoils every line below it. */
function faultsIn({errors, warnings}: Document.Parsed): readonly Fault[] {
	const faults = [...errors, ...warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
	const [next, ...others] = faults.slice(maxFaults);
	return compact([
		...faults.slice(0, maxFaults).map(({code, pos}) => ({
			offset: pos[0],
			message: parserMessages[code],
		})),
		next && {
			offset: next.pos[0],
			message: `… and ${others.length + 1} more that may follow from these`,
		},
	]);
}

/** Mistakes that the parser accepts: keys that are not text, repeated keys, aliases without an anchor above them. */
function findMistakes(document: Document): Fault[] {
	const faults: Fault[] = [];
	const anchors = new Set<string>();
	visit(document, {
		Value(_, {anchor}) {
			if (anchor !== undefined) {
				anchors.add(anchor);
			}
		},
		Alias(_, alias) {
			if (!anchors.has(alias.source)) {
				faults.push({offset: offsetOf(alias), message: parserMessages.BAD_ALIAS});
			}
		},
		Map(_, map) {
			if (map.anchor !== undefined) {
				anchors.add(map.anchor);
			}

			faults.push(...findWrongKeys(map));
		},
	});
	return faults;
}

function findWrongKeys(map: YAMLMap): readonly Fault[] {
	const seen = new Set<string>();
	return compact(
		map.items.map(({key}): Fault | undefined => {
			const name = nameOf(key);
			if (name === undefined) {
				return {offset: offsetOf(key), message: parserMessages.NON_STRING_KEY};
			}

			if (seen.has(name)) {
				return {offset: offsetOf(key), key: name, message: parserMessages.DUPLICATE_KEY};
			}

			seen.add(name);
			return undefined;
		}),
	).slice(0, maxProblems);
}

/** The text of a key in the data; `undefined` for a list, a mapping or an alias. */
function nameOf(key: unknown): string | undefined {
	const value = isScalar(key) ? (key.value ?? '') : undefined;
	if (typeof value === 'string') {
		return value;
	}

	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Offset of a node in the text; `undefined` for an absent node or one that was not parsed. */
function offsetOf(node: unknown): number | undefined {
	return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)
		? node.range?.[0]
		: undefined;
}

/** Offsets of the value at `path` and of its key, or of the deepest existing ancestor. */
function find(
	document: Document,
	path: KeyPath,
): {readonly key: number | undefined; readonly value: number | undefined} {
	let node: unknown = document.contents;
	let found = {key: offsetOf(node), value: offsetOf(node)};
	for (const step of path) {
		const next = stepInto(document, node, step);
		if (!next) {
			break;
		}

		node = next.value;
		const key = offsetOf(next.key) ?? offsetOf(node) ?? found.key;
		found = {key, value: offsetOf(node) ?? key};
	}

	return found;
}

function stepInto(
	document: Document,
	node: unknown,
	step: string | number,
): {readonly key: unknown; readonly value: unknown} | undefined {
	const collection: unknown = isAlias(node) ? node.resolve(document) : node;
	if (isMap(collection)) {
		return pairsOf(collection).get(String(step));
	}

	return isSeq(collection) && typeof step === 'number' && step < collection.items.length
		? {key: undefined, value: collection.items[step]}
		: undefined;
}

type Pairs = ReadonlyMap<string, YAMLMap['items'][number]>;

const known = new WeakMap<YAMLMap, Pairs>();

/** The pairs of a mapping by name; keys are unique. Cached: each of ten thousand routes may have a problem. */
function pairsOf(map: YAMLMap): Pairs {
	const pairs =
		known.get(map) ?? new Map(map.items.map(pair => [nameOf(pair.key) ?? '', pair] as const));
	known.set(map, pairs);
	return pairs;
}

/** Our own messages: those of the parser quote the text, which may be a secret. */
export const parserMessages: Readonly<Record<ErrorCode, string>> = {
	ALIAS_PROPS: 'an alias cannot have an anchor or a tag',
	BAD_ALIAS: 'an alias is malformed or names no anchor above it',
	BAD_COLLECTION_TYPE: 'a tag does not fit its value',
	BAD_DIRECTIVE: 'a line that starts with "%" is not a YAML directive',
	BAD_DQ_ESCAPE: 'a backslash in double quotes starts no known escape: use single quotes',
	BAD_INDENT: 'the indentation does not fit the lines above, or a bracket there is not closed',
	BAD_PROP_ORDER: 'an anchor or a tag stands in the wrong place',
	BAD_SCALAR_START: 'a text cannot start with this character: put it in quotes',
	BLOCK_AS_IMPLICIT_KEY:
		'a mapping cannot start in the middle of a line: a quote or a line break is missing',
	BLOCK_IN_FLOW: 'an indented block cannot stand inside brackets: one above may not be closed',
	DUPLICATE_KEY: 'stands twice in the same mapping',
	IMPOSSIBLE: 'this is not YAML',
	KEY_OVER_1024_CHARS: 'a key is longer than 1,024 characters',
	MISSING_CHAR: 'a quote, a bracket, a comma, a colon or a space is missing',
	MULTILINE_IMPLICIT_KEY:
		'a key spans several lines: a colon, a quote or an indentation is missing',
	MULTIPLE_ANCHORS: 'a value has two anchors',
	MULTIPLE_DOCS: 'the file holds a second document after "---"',
	MULTIPLE_TAGS: 'a value has two tags',
	NON_STRING_KEY: 'a key is not text',
	RESOURCE_EXHAUSTION: 'is nested too deeply',
	TAB_AS_INDENT: 'a tab cannot indent: use spaces',
	TAG_RESOLVE_FAILED: 'a tag is unknown: a text that starts with "!" must stand in quotes',
	UNEXPECTED_TOKEN:
		'something stands here that YAML does not expect: a quote or a bracket may be missing',
};
