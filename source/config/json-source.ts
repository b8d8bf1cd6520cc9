import type {Diagnostic} from '../core/config-view.ts';
import {itemKey} from './item-errors.ts';
import {diagnosticIn, type UnplacedDiagnostic} from './place-diagnostic.ts';
import type {KeyPath} from './plain-data.ts';
import {createPositions, type Position} from './text-positions.ts';

/** Deeper places are told by the place of what holds them. */
const maxDepth = 3;

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

type Level = {
	readonly isList: boolean;
	key: string | number;
	readonly path: KeyPath;
	readonly keys: Set<string>;
};

/**
 * Gives findings their place in the text of a JSON file that parses, down to three levels; `file` is its path. The text is gone through once, with the first finding.
 */
export function createJsonPlacer(
	file: string,
	text: string,
): (finding: UnplacedDiagnostic) => Diagnostic {
	let places:
		| {
				readonly offsets: ReadonlyMap<string, number>;
				readonly positionAt: (offset: number) => Position;
		  }
		| undefined;
	return ({path, message, severity = 'error', shownAt = path}) => {
		places ??= {offsets: offsetsIn(text), positionAt: createPositions(text)};
		return diagnosticIn(file, {
			severity,
			...places.positionAt(offsetOf(places.offsets, shownAt)),
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

/** Where the value of each path begins; of a key that stands twice, the last, which counts. */
function offsetsIn(text: string): ReadonlyMap<string, number> {
	const offsets = new Map<string, number>();
	walk(text, {
		value(path, offset) {
			offsets.set(itemKey(path), offset);
		},
	});
	return offsets;
}

/** At most so many are told of. */
const maxRepeated = 100;

/** Keys that stand twice in one object of a JSON text that parses, down to three levels: a parser takes the last and says nothing. */
export function repeatedKeysIn(text: string): readonly KeyPath[] {
	const repeated: KeyPath[] = [];
	walk(text, {
		repeatedKey(path) {
			if (repeated.length < maxRepeated) {
				repeated.push(path);
			}
		},
	});
	return repeated;
}

/** Goes through the tokens of a JSON text that parses, and tells of what is not too deep. */
function walk(
	text: string,
	visit: {
		readonly value?: (path: KeyPath, offset: number) => void;
		readonly repeatedKey?: (path: KeyPath) => void;
	},
): void {
	const open: Level[] = [];
	let isKey = false;
	const begin = (offset: number): KeyPath => {
		const level = open.at(-1);
		const path = level ? [...level.path, level.key].slice(0, maxDepth + 1) : [];
		if (path.length <= maxDepth) {
			visit.value?.(path, offset);
		}

		return path;
	};

	for (const {0: word, index} of text.matchAll(token)) {
		const level = open.at(-1);
		if (word === '{' || word === '[') {
			open.push({
				isList: word === '[',
				key: word === '[' ? 0 : '',
				path: begin(index),
				keys: new Set(),
			});
			isKey = word === '{';
		} else if (word === '}' || word === ']') {
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
				visit.repeatedKey?.([...level.path, key]);
			}

			level.key = key;
			level.keys.add(key);
		} else {
			begin(index);
		}
	}
}
