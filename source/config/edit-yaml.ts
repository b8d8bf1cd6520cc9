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

/** One key to set; without a value it is removed. `rename`: it gets this name instead, and all else stays. */
export type YamlEdit = {
	readonly path: KeyPath;
	readonly value?: JsonValue | undefined;
	readonly rename?: string | undefined;
};

/**
 * `text` (sound YAML) with one edit made. What the edit does not touch stays byte for byte where that is possible: a value is replaced in its
 * place, a new key follows its own commented-out lines (`# port: 8644`) or else the last key of its mapping, a new item the last one of its list, the lines of a removed one go. Otherwise the text is written anew, with its comments and its order.
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

/** The text with one more plain value behind the last item of a list. */
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

/** The text with a new key in the deepest mapping that is there: below its own commented-out lines, or else below the last key. */
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

/** Where the new key at `path` would stand; `undefined` when its mapping is none of lines. */
function placeAfter(text: string, document: Document, path: KeyPath) {
	const map: unknown = document.getIn(path.slice(0, -1), true);
	if (map === null && path.length === 1) {
		// Nothing but comments.
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

/** Behind the commented-out lines of a key (`# port: 8644`) in the lines of a mapping whose keys stand at `column`: what explains the key stands above them. */
function afterExample(mapping: string, column: number, name: string): number | undefined {
	const line = ` {${column}}# ?${RegExp.escape(name)}:(?:\\s.*)?(?:\\n|$)`;
	const deeper = ` {${column}}# {2,}.*(?:\\n|$)`;
	const found = new RegExp(`^${line}(?:${deeper})*`, 'm').exec(mapping);
	return found ? found.index + found[0].length : undefined;
}

/** Where the comments begin that stand directly above the line at `end`. */
function fromComments(text: string, end: number): number {
	let start = end;
	while (start > 0 && /^\s*#/.test(text.slice(lineStart(text, start - 1), start))) {
		start = lineStart(text, start - 1);
	}

	return start;
}

/** Behind the comments from `from` on that stand at `column` or deeper. Those that stand deeper than a mapping are commented-out settings of its last entry, which would become those of a new one. */
function afterComments(text: string, from: number, column: number): number {
	const comments = new RegExp(`(?:(?:[ \\t]*\\r?\\n)* {${column},}#.*(?:\\n|$))*`, 'y');
	comments.lastIndex = from;
	return from + (comments.exec(text)?.[0].length ?? 0);
}

/** The text as the library writes it after the edit. */
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

/** How the text indents, by its first indented line and its first list. */
function indentationOf(text: string): Indentation {
	const [, spaces = '  '] =
		/^[^\s#-][^\n]*:[^\S\n]*(?:#[^\n]*)?\n(?:[^\S\n]*(?:#[^\n]*)?\n)*( +)\S/m.exec(text) ?? [];
	const hasFlushList = /^( *)[^\s#-][^\n]*:[^\S\n]*(?:#[^\n]*)?\n\1- /m.test(text);
	return {indent: Math.min(spaces.length, maxIndent), indentSeq: !hasFlushList};
}
