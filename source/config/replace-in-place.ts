import {
	type Alias,
	Document,
	isAlias,
	type Node,
	visit,
	isCollection,
	isMap,
	isNode,
	isScalar,
	parseDocument,
	type Scalar,
	stringify,
	type ToStringOptions,
} from 'yaml';
import {SvcError} from '../core/errors.ts';
import type {JsonValue} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {KeyPath} from './plain-data.ts';

/** The indentation of mappings and lists in a text. */
export type Indentation = {readonly indent: number; readonly indentSeq: boolean};

/** The text with a scalar replaced by another; `undefined` if that is not possible. The caller compares the parsed result. */
export function replaceScalar(
	text: string,
	path: KeyPath,
	value: JsonValue | undefined,
): string | undefined {
	const node: unknown = parseDocument(text).getIn(path, true);
	if (!isScalar(node) || !node.range || typeof value === 'object' || value === undefined) {
		return undefined;
	}

	const [start, end] = node.range;
	return start === end ? undefined : replaceText(text, node, value);
}

/** The text with a scalar replaced by `value`, in the same quotes. */
export function replaceText(
	text: string,
	{type, range}: Pick<Scalar, 'type' | 'range'>,
	value: string | number | boolean | null,
): string {
	const [start = 0, end = 0] = range ?? [];
	const quoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
	const written = stringify(value, {
		lineWidth: 0,
		singleQuote: type === 'QUOTE_SINGLE',
		...(quoted && {defaultStringType: type}),
	}).trimEnd();
	return text.slice(0, start) + written + text.slice(end);
}

/**
 * The text with another value for the key at `path`, which is written anew; everything around it stays, and so does a comment after a value of one line. `undefined` if the
 * key has no lines of its own. The caller compares the parsed result.
 */
export function replacePair(
	text: string,
	{path, value}: {readonly path: KeyPath; readonly value: JsonValue},
	{indent, indentSeq}: Indentation,
): string | undefined {
	const document = parseDocument(text);
	const map: unknown = document.getIn(path.slice(0, -1), true);
	const name = path.at(-1);
	const {key, value: old} = pairNamed(map, name) ?? {};
	if (
		!isMap(map) ||
		map.flow ||
		typeof name !== 'string' ||
		!isNode(key) ||
		!key.range ||
		!isNode(old) ||
		!old.range
	) {
		return undefined;
	}

	const [start] = key.range;
	const column = start - lineStart(text, start);
	const isFlow = isCollection(old) && old.flow === true;
	const written = blockOf({name, value}, isFlow, {
		indent,
		indentSeq,
		lineWidth: 0,
		flowCollectionPadding: !/[{[][^\s{}[\]]/.test(text),
	})
		.replace(/\n$/, '')
		.replaceAll(/\n(?=.)/g, `\n${' '.repeat(column)}`);
	const end = text.slice(0, old.range[1]).replace(/\n+$/, '').length;
	return text.slice(0, start) + written + text.slice(end);
}

/** A key with its value as lines; `isFlow`: collections are written in brackets. */
function blockOf(
	{name, value}: {readonly name: string; readonly value: JsonValue},
	isFlow: boolean,
	options: ToStringOptions,
): string {
	// The library cannot write a list that is not indented below its key at the left margin.
	if (Array.isArray(value) && value.length > 0 && !isFlow && options.indentSeq === false) {
		return `${stringify(name).trimEnd()}:\n${stringify(value, options)}`;
	}

	const made = new Document({[name]: value});
	const node: unknown = made.get(name, true);
	if (isCollection(node)) {
		node.flow = isFlow;
	}

	return made.toString(options);
}

/**
 * `text` (valid YAML) without the lines of one key. Comments around them stay; of two adjoining blank lines one is removed; a mapping that loses its last key becomes `{}`.
 * `undefined` if the key has no lines of its own. The caller compares the parsed result.
 */
export function removeInPlace(text: string, path: KeyPath): string | undefined {
	const document = parseDocument(text);
	const parent = path.slice(0, -1);
	const map: unknown = document.getIn(parent, true);
	const lines = linesOf(text, map, path.at(-1));
	if (!isMap(map) || map.flow || !lines) {
		return undefined;
	}

	const rest = join(text.slice(0, lines.start), text.slice(lines.end));
	if (map.items.length > 1) {
		return rest;
	}

	const colon = endOfKey(text, document.getIn(parent.slice(0, -1), true), parent.at(-1));
	return colon === undefined ? undefined : `${rest.slice(0, colon)} {}${rest.slice(colon)}`;
}

/** The range from the start of the key's line to the end of its value's last line. */
function linesOf(text: string, map: unknown, name: KeyPath[number] | undefined) {
	const {key, value} = pairNamed(map, name) ?? {};
	const last: unknown = isNode(value) ? value : key;
	if (!isNode(key) || !key.range || !isNode(last) || !last.range) {
		return undefined;
	}

	const start = lineStart(text, key.range[0]);
	const end = lineEnd(text, last.range[1]);
	return text.slice(start, key.range[0]).trim() === ''
		? {start, end: end === -1 ? text.length : end + 1}
		: undefined;
}

/** The offset at which the line of an offset starts. */
export const lineStart = (text: string, offset: number): number =>
	text.lastIndexOf('\n', offset - 1) + 1;

/** The offset of the line break after a node that ends at `end` (the node may include it); -1: none. */
export const lineEnd = (text: string, end: number): number =>
	text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);

const pairNamed = (map: unknown, name: KeyPath[number] | undefined) =>
	isMap(map)
		? map.items.find(({key}) => isScalar(key) && String(key.value) === String(name))
		: undefined;

const join = (before: string, after: string): string =>
	/(?:^|\n)[^\S\n]*\n$/.test(before) ? before + after.replace(/^[^\S\n]*\n/, '') : before + after;

/** The offset after the colon of a key. */
function endOfKey(
	text: string,
	map: unknown,
	name: KeyPath[number] | undefined,
): number | undefined {
	const key = pairNamed(map, name)?.key;
	if (!isNode(key) || !key.range) {
		return undefined;
	}

	const colon = text.indexOf(':', key.range[1]);
	return colon === -1 ? undefined : colon + 1;
}

/**
 * `text` (valid YAML) with the key at `path` renamed; every other byte stays. The caller has checked that the mapping has no key `name`.
 *
 * @throws SvcError `config_not_editable` for a key that stands in another place, or is no plain text
 */
export function renameKey(text: string, path: KeyPath, name: string): string {
	const document = parseDocument(text);
	const parent = path.slice(0, -1);
	refuseSharedValue(document, parent);
	const key = pairNamed(document.getIn(parent, true), path.at(-1))?.key;
	if (!isScalar(key) || !key.range || key.range[0] === key.range[1]) {
		throw new SvcError(
			'config_not_editable',
			`Cannot rename "${path.join('.')}": it is not written there, but shared from another place`,
		);
	}

	return replaceText(text, key, name);
}

/**
 * Refuses to set or remove the value at `path` if that would change other places, or take their value: the path contains an alias, or an anchor (`&name`) to which an alias
 * (`*name`) elsewhere refers. An alias that is itself replaced is allowed.
 *
 * @throws SvcError `config_not_editable` naming the anchor
 */
export function refuseSharedValue(document: Document, path: KeyPath): void {
	const aliases = aliasesIn(document);
	if (aliases.length === 0) {
		return;
	}

	for (let length = 0; length < path.length; length++) {
		const node = nodeAt(document, path.slice(0, length));
		if (isAlias(node) || aliases.some(alias => alias.resolve(document) === node)) {
			throw shared(path, isAlias(node) ? node.source : anchorOf(node));
		}
	}

	const replaced = nodesIn(nodeAt(document, path));
	for (const alias of aliases) {
		const target = alias.resolve(document);
		if (target && replaced.has(target) && !replaced.has(alias)) {
			throw shared(path, alias.source);
		}
	}
}

const shared = (path: KeyPath, anchor: string): SvcError => {
	const name = escapeLine(anchor, 100);
	return new SvcError(
		'config_not_editable',
		`Cannot change "${path.join('.')}": its value is shared through the anchor "&${name}"; write it out in each place where "*${name}" stands`,
	);
};

const nodeAt = (document: Document, path: KeyPath): unknown => document.getIn(path, true);

const anchorOf = (node: unknown): string =>
	isNode(node) && 'anchor' in node && typeof node.anchor === 'string' ? node.anchor : '';

function aliasesIn(document: Document): readonly Alias[] {
	const aliases: Alias[] = [];
	visit(document, {
		Alias(_, alias) {
			aliases.push(alias);
		},
	});
	return aliases;
}

/** A node and all its descendants. */
function nodesIn(root: unknown): ReadonlySet<Node> {
	const nodes = new Set<Node>();
	if (isNode(root)) {
		visit(root, {
			Node(_, node) {
				nodes.add(node);
			},
		});
	}

	return nodes;
}
