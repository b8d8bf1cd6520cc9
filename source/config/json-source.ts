import type {Diagnostic} from '../core/config-view.ts';
import {itemKey} from './item-errors.ts';
import {diagnosticIn, type UnplacedDiagnostic} from './place-diagnostic.ts';
import type {KeyPath} from './plain-data.ts';
import {createPositions, type Position} from './text-positions.ts';

/** Depth of positions: deeper values get the position of their ancestor at this depth. */
const maxDepth = 3;

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

type Level = {
	readonly isList: boolean;
	key: string | number;
	readonly path: KeyPath;
	readonly keys: Set<string>;
};

/** Gives findings their position in a valid JSON text, down to three levels; `file` is its path. The text is scanned once, at the first finding. */
export function createJsonPlacer(
	file: string,
	text: string,
): (finding: UnplacedDiagnostic) => Diagnostic {
	let offsets: ReadonlyMap<string, number> | undefined;
	let positionAt: ((offset: number) => Position) | undefined;
	return ({path, message, severity = 'error', shownAt = path}) => {
		// Of a repeated key the last one counts.
		offsets ??= new Map(
			placesIn(text).flatMap(one => (one.isRepeated ? [] : [[itemKey(one.path), one.offset]])),
		);
		positionAt ??= createPositions(text);
		return diagnosticIn(file, {
			severity,
			...positionAt(offsetOf(offsets, shownAt)),
			key: path.join('.'),
			message,
		});
	};
}

function offsetOf(offsets: ReadonlyMap<string, number>, path: KeyPath): number {
	for (let length = Math.min(path.length, maxDepth); length > 0; length--) {
		const offset = offsets.get(itemKey(path.slice(0, length)));
		if (offset !== undefined) {
			return offset;
		}
	}

	return 0;
}

/** Most repeated keys that are reported. */
const maxRepeated = 100;

/** Keys that occur twice in one object of a valid JSON text, down to three levels: the parser silently takes the last. */
export const repeatedKeysIn = (text: string): readonly KeyPath[] =>
	placesIn(text)
		.filter(({isRepeated}) => isRepeated)
		.take(maxRepeated)
		.map(({path}) => path)
		.toArray();

type JsonPlace = {readonly path: KeyPath; readonly offset: number; readonly isRepeated: boolean};

/**
 * Yields every value of a valid JSON text, and every repetition of a key in its object, down to three levels, in the order of the text. A YAML parser takes thirty times as
 * long.
 */
function* placesIn(text: string): Generator<JsonPlace, undefined> {
	const open: Level[] = [];
	let isKey = false;
	for (const {0: word, index: offset} of text.matchAll(token)) {
		const level = open.at(-1);
		if (word === '}' || word === ']') {
			open.pop();
			isKey = false;
		} else if (word === ',') {
			isKey = level !== undefined && !level.isList;
			if (level && typeof level.key === 'number') {
				level.key += 1;
			}
		} else if (word === ':') {
			isKey = false;
		} else if (isKey && level) {
			const key = String(JSON.parse(word));
			if (level.keys.has(key) && level.path.length < maxDepth) {
				yield {path: [...level.path, key], offset, isRepeated: true};
			}

			level.key = key;
			level.keys.add(key);
		} else {
			const path = level ? [...level.path, level.key].slice(0, maxDepth + 1) : [];
			if (path.length <= maxDepth) {
				yield {path, offset, isRepeated: false};
			}

			isKey = word === '{';
			if (isKey || word === '[') {
				open.push({isList: !isKey, key: isKey ? '' : 0, path, keys: new Set()});
			}
		}
	}
}
