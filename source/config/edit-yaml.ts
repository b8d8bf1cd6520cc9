import {isDeepStrictEqual} from 'node:util';
import {
	isCollection,
	isMap,
	isNode,
	isScalar,
	isSeq,
	parseDocument,
	stringify,
	type Document,
} from 'yaml';
import {SvcError} from '../core/errors.ts';
import type {JsonValue} from '../core/json.ts';
import type {KeyPath} from './plain-data.ts';
import {
	lineEnd,
	lineStart,
	refuseSharedValue,
	removeInPlace,
	renameKey,
	replacePair,
	replaceScalar,
	type Indentation,
} from './replace-in-place.ts';

/** One key to set; without `value` it is removed. `rename`: the key gets this name, and its value stays. */
export type YamlEdit = {
	readonly path: KeyPath;
	readonly value?: JsonValue | undefined;
	readonly rename?: string | undefined;
};

/**
 * `text` (valid YAML) with one edit. Where possible, all other bytes stay: a value is replaced in place, a new key goes below the last one of its mapping, a new item below
 * the last one of its list, and a removed key loses its lines. Otherwise the library writes the whole text anew, with comments and order.
 *
 * @throws SvcError `config_not_editable` when the path leads through a value that is no mapping, or to one that other places share.
 */
export function editYaml(text: string, edit: YamlEdit): string {
	if (edit.rename !== undefined) {
		return renameKey(text, edit.path, edit.rename);
	}

	refuseSharedValue(parseDocument(text), edit.path);
	const anew = writeAnew(text, edit);
	const wanted = dataIn(anew);
	const {path, value} = edit;
	const inPlace = [
		replaceScalar(text, path, value),
		value === undefined ? undefined : replacePair(text, {path, value}, indentationOf(text)),
		appendInPlace(text, edit),
		value === undefined ? removeInPlace(text, path) : insertInPlace(text, edit),
	];
	return (
		inPlace.find(result => result !== undefined && isDeepStrictEqual(dataIn(result), wanted)) ??
		anew
	);
}

function dataIn(text: string): unknown {
	const document = parseDocument(text, {logLevel: 'error'});
	return document.errors.length > 0 ? document.errors : document.toJS();
}

/** The text with a scalar appended to a list, or `undefined` where that is not possible in place. */
function appendInPlace(text: string, {path, value}: YamlEdit): string | undefined {
	const list: unknown = parseDocument(text).getIn(path.slice(0, -1), true);
	const last: unknown = isSeq(list) ? list.items.at(-1) : undefined;
	if (
		!isSeq(list) ||
		!isNode(last) ||
		!last.range ||
		value === undefined ||
		typeof value === 'object'
	) {
		return undefined;
	}

	const written = stringify(value, {lineWidth: 0}).trimEnd();
	const [start, end] = last.range;
	if (list.flow === true) {
		return `${text.slice(0, end)}, ${written}${text.slice(end)}`;
	}

	const mark = text.slice(lineStart(text, start), start);
	const found = text.indexOf('\n', end);
	const place = found === -1 ? text.length : found;
	return `${text.slice(0, place)}\n${mark}${written}${text.slice(place)}`;
}

/** The text with a new key below the last one of the deepest existing mapping, or `undefined` where that is not possible in place. */
function insertInPlace(text: string, {path, value}: YamlEdit): string | undefined {
	if (value === undefined) {
		return undefined;
	}

	const document = parseDocument(text);
	for (let length = path.length - 1; length >= 0; length -= 1) {
		const place = placeAfter(text, document, path.slice(0, length + 1));
		if (place) {
			const {indent} = indentationOf(text);
			const block = stringify(nest(path.slice(length), value), {indent, lineWidth: 0});
			const lines = block.replaceAll(/^(?=.)/gm, ' '.repeat(place.column));
			return text.slice(0, place.offset) + place.before + lines + text.slice(place.offset);
		}
	}

	return undefined;
}

const nest = (path: KeyPath, value: JsonValue): JsonValue =>
	path.reduceRight<JsonValue>((inner, key) => ({[key]: inner}), value);

/** The position for a new key of the mapping at `path`; `undefined` unless that is a block mapping with keys. */
function placeAfter(text: string, document: Document, path: KeyPath) {
	const map: unknown = document.getIn(path.slice(0, -1), true);
	if (map === null && path.length === 1) {
		// The text holds only comments.
		return {offset: text.length, column: 0, before: text === '' || text.endsWith('\n') ? '' : '\n'};
	}

	if (!isMap(map) || map.flow || map.items.length === 0) {
		return undefined;
	}

	const first = map.items[0]?.key;
	const last = map.items.at(-1);
	const node: unknown = isNode(last?.value) ? last.value : last?.key;
	if (!isNode(first) || !first.range || !isNode(node) || !node.range) {
		return undefined;
	}

	const top = lineStart(text, first.range[0]);
	const column = first.range[0] - top;
	const end = lineEnd(text, node.range[1]);
	if (end === -1) {
		return {offset: text.length, column, before: '\n'};
	}

	const from = fromComments(text, top);
	const mapping = text.slice(from, afterComments(text, end + 1, column));
	const example = afterExample(mapping, column, String(path.at(-1)));
	const offset = example === undefined ? afterComments(text, end + 1, column + 1) : from + example;
	return {offset, column, before: text[offset - 1] === '\n' ? '' : '\n'};
}

/** The offset after the commented-out lines of a key (`# port: 8644`) in a mapping whose keys are indented by `column`: the comments that explain the key are above them. */
function afterExample(mapping: string, column: number, name: string): number | undefined {
	const line = ` {${column}}# ?${RegExp.escape(name)}:(?:\\s.*)?(?:\\n|$)`;
	const deeper = ` {${column}}# {2,}.*(?:\\n|$)`;
	const found = new RegExp(`^${line}(?:${deeper})*`, 'm').exec(mapping);
	return found ? found.index + found[0].length : undefined;
}

/** The offset at which the comments directly above the line at `end` begin. */
function fromComments(text: string, end: number): number {
	let start = end;
	while (start > 0 && /^\s*#/.test(text.slice(lineStart(text, start - 1), start))) {
		start = lineStart(text, start - 1);
	}

	return start;
}

/** The offset after the comments from `from` on that are indented by `column` or more. Comments indented deeper than a mapping are commented-out settings of its last entry, which would seem to belong to a new one. */
function afterComments(text: string, from: number, column: number): number {
	const comments = new RegExp(`(?:(?:[ \\t]*\\r?\\n)* {${column},}#.*(?:\\n|$))*`, 'y');
	comments.lastIndex = from;
	return from + (comments.exec(text)?.[0].length ?? 0);
}

/** The text after the edit, as the library formats it. */
function writeAnew(text: string, {path, value}: YamlEdit): string {
	const document = parseDocument(text);
	if (value === undefined) {
		document.deleteIn(path);
	} else {
		openPath(document, path);
		document.setIn(path, document.createNode(value));
	}

	return document.toString({
		lineWidth: 0,
		flowCollectionPadding: !/[{[][^\s{}[\]]/.test(text),
		...indentationOf(text),
	});
}

/** Makes every step above the last key a collection: a key without a value becomes a mapping and keeps its comments. */
function openPath(document: Document, path: KeyPath): void {
	for (let length = 0; length < path.length; length += 1) {
		const prefix = path.slice(0, length);
		const node: unknown = document.getIn(prefix, true);
		if (isSeq(node) && typeof path[length] === 'string') {
			throw notMapping(prefix);
		}

		if (!isCollection(node)) {
			openOne(document, prefix, node);
		}
	}
}

const notMapping = (path: KeyPath) =>
	new SvcError(
		'config_not_editable',
		path.length === 0
			? 'Cannot set a key: the file is not a mapping'
			: `Cannot set a key below "${path.join('.')}": it is not a mapping`,
	);

function openOne(document: Document, path: KeyPath, node: unknown): void {
	const isEmpty = node === undefined || node === null || (isScalar(node) && node.value === null);
	if (!isEmpty) {
		throw notMapping(path);
	}

	const mapping = document.createNode({});
	if (isScalar(node)) {
		mapping.commentBefore = [node.commentBefore, node.comment].filter(Boolean).join('\n') || null;
	}

	if (path.length === 0) {
		document.contents = mapping;
	} else {
		document.setIn(path, mapping);
	}
}

const maxIndent = 8;

/** The indentation of a text, by its first indented line and its first list. */
function indentationOf(text: string): Indentation {
	const [, spaces = '  '] =
		/^[^\s#-][^\n]*:[^\S\n]*(?:#[^\n]*)?\n(?:[^\S\n]*(?:#[^\n]*)?\n)*( +)\S/m.exec(text) ?? [];
	const hasFlushList = /^( *)[^\s#-][^\n]*:[^\S\n]*(?:#[^\n]*)?\n\1- /m.test(text);
	return {indent: Math.min(spaces.length, maxIndent), indentSeq: !hasFlushList};
}
