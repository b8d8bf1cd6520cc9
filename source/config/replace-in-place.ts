import {
	Document,
	isCollection,
	isMap,
	isNode,
	isScalar,
	parseDocument,
	type Scalar,
	stringify,
	type ToStringOptions,
} from 'yaml';
import type {JsonValue} from '../core/json.ts';
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
	const map: unknown =
		path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
	const name = path.at(-1);
	if (!isMap(map) || map.flow || typeof name !== 'string') {
		return undefined;
	}

	const pair = map.items.find(({key}) => isScalar(key) && String(key.value) === name);
	const {key, value: old} = pair ?? {};
	if (!isNode(key) || !key.range || !isNode(old) || !old.range) {
		return undefined;
	}

	const [start] = key.range;
	const column = start - (text.lastIndexOf('\n', start - 1) + 1);
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
