import {isMap, isNode, isScalar, parseDocument, type YAMLMap} from 'yaml';
import type {KeyPath} from './plain-data.ts';

/**
 * `text` (sound YAML) without the lines of one key: comments around them stay, of two blank lines that meet one goes; a mapping that loses its last key becomes `{}`.
 * `undefined` where that key has no lines of its own. The caller compares what the result says.
 */
export function removeInPlace(text: string, path: KeyPath): string | undefined {
	const document = parseDocument(text);
	const parent = path.slice(0, -1);
	const map: unknown = parent.length === 0 ? document.contents : document.getIn(parent, true);
	if (!isMap(map) || map.flow) {
		return undefined;
	}

	const lines = linesOf(text, map, path.at(-1));
	if (!lines) {
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
function linesOf(text: string, map: YAMLMap, name: KeyPath[number] | undefined) {
	const {key, value} = pairNamed(map, name) ?? {};
	const last: unknown = isNode(value) ? value : key;
	if (!isNode(key) || !key.range || !isNode(last) || !last.range) {
		return undefined;
	}

	const start = text.lastIndexOf('\n', key.range[0] - 1) + 1;
	if (text.slice(start, key.range[0]).trim() !== '') {
		return undefined;
	}

	const end = last.range[1];
	const lineEnd = text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);
	return {start, end: lineEnd === -1 ? text.length : lineEnd + 1};
}

const pairNamed = (map: YAMLMap, name: KeyPath[number] | undefined) =>
	map.items.find(({key}) => isScalar(key) && String(key.value) === String(name));

const join = (before: string, after: string): string =>
	/(?:^|\n)[^\S\n]*\n$/.test(before) ? before + after.replace(/^[^\S\n]*\n/, '') : before + after;

/** The offset behind the colon of a key. */
function endOfKey(
	text: string,
	map: unknown,
	name: KeyPath[number] | undefined,
): number | undefined {
	const key: unknown = isMap(map) ? pairNamed(map, name)?.key : undefined;
	if (!isNode(key) || !key.range) {
		return undefined;
	}

	const colon = text.indexOf(':', key.range[1]);
	return colon === -1 ? undefined : colon + 1;
}
