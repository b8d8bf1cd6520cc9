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

/** How a text indents its mappings and its lists. */
export type Indentation = {readonly indent: number; readonly indentSeq: boolean};

/** The text with one plain value of a line in the place of another. The caller compares what the result says. */
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

/** The text with a value in the place of a scalar that it holds, quoted as that one was. */
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
 * The text with another value behind the key at `path`: a list, a mapping or a text of several lines is written anew from its key on, everything around it stays, and so does a comment
 * behind a value of one line. `undefined` where that key has no lines of its own. The caller compares what the result says.
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

/** A key with its value as lines; `isFlow`: a collection in brackets. */
function blockOf(
	{name, value}: {readonly name: string; readonly value: JsonValue},
	isFlow: boolean,
	options: ToStringOptions,
): string {
	// The library has no flush lists at the left edge.
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
 * `text` (sound YAML) without the lines of one key: comments around them stay, of two blank lines that meet one goes; a mapping that loses its last key becomes `{}`.
 * `undefined` where that key has no lines of its own. The caller compares what the result says.
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

/** From the line of the key to the one after its value. */
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

/** Where the line of an offset starts. */
export const lineStart = (text: string, offset: number): number =>
	text.lastIndexOf('\n', offset - 1) + 1;

/** The offset of the line break behind what ends at `end`, which may be part of it; -1 for none. */
export const lineEnd = (text: string, end: number): number =>
	text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);

const pairNamed = (map: unknown, name: KeyPath[number] | undefined) =>
	isMap(map)
		? map.items.find(({key}) => isScalar(key) && String(key.value) === String(name))
		: undefined;

const join = (before: string, after: string): string =>
	/(?:^|\n)[^\S\n]*\n$/.test(before) ? before + after.replace(/^[^\S\n]*\n/, '') : before + after;

/** The offset behind the colon of a key. */
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
 * `text` (sound YAML) with another name for the key at `path`; every other byte stays. The caller has looked that its mapping has no such key yet.
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
 * Refuses to set or remove what stands at `path` when that would change other places too, or leave them without their value: on the way there is an alias, or
 * an anchor (`&name`) that an alias (`*name`) elsewhere refers to. An alias that is itself replaced does not count.
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

/** A node with everything below it. */
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
