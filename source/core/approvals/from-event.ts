import {setImmediate as turn} from 'node:timers/promises';
import type {Approval} from '../approval.ts';
import type {StoredDelivery} from '../delivery.ts';
import {receivedBody} from '../filter/payload-terms.ts';
import {isJsonObject, type JsonValue} from '../json.ts';
import {quotedName} from '../names.ts';
import {lookUp} from '../payload.ts';

/** An argument of a call that repeats content of an untrusted event. */
export type FromEvent = {
	/** Name of the argument; empty for arguments that are no object. */
	readonly argument: string;
	/** Dotted path of the field of the payload. */
	readonly field: string;
	/** `true`: a value of the argument equals the field. `false`: they share a part. */
	readonly isWhole: boolean;
};

/** Least length of a shared part: shorter texts, such as words and names of fields, often match by chance. */
const partLength = 12;

/** Most text that is compared, of the arguments and of the payload, in UTF-16 units. */
const maxCompared = {arguments: 65_536, payload: 2_000_000} as const;

/** Most work of one step, about two milliseconds: UTF-16 units of payload text, values, parts of arguments. */
const stepLength = 65_536;
const leavesAStep = 2000;
const partsAStep = 4096;

/** Most values that are read. */
const maxLeaves = 20_000;

/** Least number of different characters in a part: excludes ruler lines, blanks and zeros. */
const leastCharacters = 4;

/** Names of fields are untrusted, too: longer ones are cut. */
const maxFieldLength = 200;

type Leaf = {readonly path: readonly string[]; readonly value: string | number};

/**
 * Finds the arguments with a value, or a part of at least 12 characters, from the payload; for each the first field with the best match. A generator, so that the caller can
 * yield to the event loop: each `next()` does a bounded amount of work, and the last one returns the result, in the order of the arguments.
 */
export function* findFromEvent(
	args: JsonValue,
	payload: JsonValue,
): Generator<undefined, readonly FromEvent[], undefined> {
	const wanted = yield* wantedFrom(args);
	const found = new Map<string, FromEvent>();
	let room: number = maxCompared.payload;
	let looked = 0;
	for (const {path, value} of leavesOf(payload)) {
		for (const argument of wanted.values.get(value) ?? []) {
			if (found.get(argument)?.isWhole !== true) {
				found.set(argument, {argument, field: fieldOf(path), isWhole: true});
			}
		}

		const text = typeof value === 'string' ? value.slice(0, room) : '';
		room -= text.length;
		for (const stretch of stretchesOf(text)) {
			for (const argument of partsIn(stretch, wanted)) {
				const field = found.get(argument)?.field ?? fieldOf(path);
				found.set(argument, found.get(argument) ?? {argument, field, isWhole: false});
			}

			yield;
		}

		looked += 1;
		yield* turnAfter(looked, leavesAStep);
	}

	return wanted.names.flatMap(name => found.get(name) ?? []);
}

/** The lines for people; none without a match. */
export const fromEventLines = (fromEvent: readonly FromEvent[]): readonly string[] =>
	fromEvent.length === 0
		? []
		: [
				'stands in the event, which is untrusted',
				...fromEvent.map(
					({argument, field, isWhole}) =>
						`  ${argument === '' ? 'arguments' : quotedName(argument)}  ${isWhole ? 'as' : 'in part as'} ${quotedName(field)}`,
				),
			];

const fieldOf = (path: readonly string[]): string => {
	const field = path.join('.');
	return field.length > maxFieldLength ? `${field.slice(0, maxFieldLength)}…` : field;
};

/** Splits a long text into pieces that overlap, so that every part of 12 characters lies within one piece. */
function* stretchesOf(text: string): Generator<string, void, undefined> {
	for (let from = 0; from + partLength <= text.length; from += stepLength) {
		yield text.slice(from, from + stepLength + partLength - 1);
	}
}

type Wanted = {
	readonly names: readonly string[];
	/** Names of the arguments that contain a value, by the value. */
	readonly values: ReadonlyMap<string | number, ReadonlySet<string>>;
	/** Names of the arguments that contain a part of 12 characters, by the part. */
	readonly parts: ReadonlyMap<string, ReadonlySet<string>>;
	/** 1 at the index of each hash that some part has. */
	readonly hashes: Uint8Array;
};

const hashBits = 20;

function* wantedFrom(args: JsonValue): Generator<undefined, Wanted, undefined> {
	const values = new Map<string | number, Set<string>>();
	const parts = new Map<string, Set<string>>();
	const hashes = new Uint8Array(1 << hashBits);
	const named: ReadonlyArray<readonly [string, JsonValue]> = isJsonObject(args)
		? Object.entries(args)
		: [['', args]];
	let room: number = maxCompared.arguments;
	let looked = 0;
	for (const [name, argument] of named) {
		for (const {value} of leavesOf(argument)) {
			put(values, value, name);
			const text = typeof value === 'string' ? value.slice(0, room) : '';
			room -= text.length;
			for (const {part, slot} of partsOf(text)) {
				put(parts, part, name);
				hashes[slot] = 1;
				looked += 1;
				yield* turnAfter(looked, partsAStep);
			}
		}
	}

	return {names: named.map(([name]) => name), values, parts, hashes};
}

function put<Key>(map: Map<Key, Set<string>>, key: Key, name: string): void {
	const names = map.get(key);
	if (names) {
		names.add(name);
	} else {
		map.set(key, new Set([name]));
	}
}

/** Yields if `count` is a multiple of `most`. */
function* turnAfter(count: number, most: number): Generator<undefined, void, undefined> {
	if (count % most === 0) {
		yield;
	}
}

type Part = {readonly part: string; readonly slot: number};

/** All parts of 12 characters of a text, except those with too few different characters. */
function* partsOf(text: string): Generator<Part, void, undefined> {
	let hash = 0;
	for (let end = 0; end < text.length; end += 1) {
		hash = rolled(hash, text, end);
		const part = end < partLength - 1 ? '' : text.slice(end - partLength + 1, end + 1);
		if (new Set(part).size >= leastCharacters) {
			yield {part, slot: slotOf(hash)};
		}
	}
}

/** Names of the arguments that share a part with `text`. */
function partsIn(text: string, {parts, hashes}: Wanted): ReadonlySet<string> {
	const found = new Set<string>();
	let hash = 0;
	for (let end = 0; end < text.length; end += 1) {
		hash = rolled(hash, text, end);
		if (end >= partLength - 1 && hashes[slotOf(hash)] === 1) {
			for (const name of parts.get(text.slice(end - partLength + 1, end + 1)) ?? []) {
				found.add(name);
			}
		}
	}

	return found;
}

const base = 31;

/** The weight, in the rolling hash, of the character that leaves the window. */
const leaving = Array.from({length: partLength}).reduce<number>(power => Math.imul(power, base), 1);

/** The rolling hash of the 12 characters up to `end`, from the hash up to the character before. */
function rolled(hash: number, text: string, end: number): number {
	const next = (Math.imul(hash, base) + text.charCodeAt(end)) | 0;
	return end < partLength
		? next
		: (next - Math.imul(text.charCodeAt(end - partLength), leaving)) | 0;
}

const slotOf = (hash: number): number => Math.imul(hash, 0x9e_37_79_b1) >>> (32 - hashBits);

type Open = {readonly path: readonly string[]; readonly value: JsonValue};

/** The non-empty texts and the numbers in a value, in the order of the JSON. Bounded in depth and number. */
function* leavesOf(root: JsonValue): Generator<Leaf, void, undefined> {
	const open: Open[] = [{path: [], value: root}];
	let left = maxLeaves;
	for (let next = open.pop(); next !== undefined && left > 0; next = open.pop()) {
		const {path, value} = next;
		left -= 1;
		if (typeof value === 'number' || (typeof value === 'string' && value !== '')) {
			yield {path, value};
		} else if (typeof value === 'object' && value !== null && path.length < maxDepth) {
			open.push(...innerOf(value, path, left));
		}
	}
}

/** The first `most` members of a value, in reverse order for the stack `open`. */
const innerOf = (
	value: Exclude<JsonValue, string | number | boolean | null>,
	path: readonly string[],
	most: number,
): readonly Open[] =>
	Object.keys(isJsonObject(value) ? value : value.slice(0, most))
		.slice(0, most)
		.map(name => ({
			path: [...path, name.slice(0, maxFieldLength)],
			value: lookUp(value, [name]) ?? null,
		}))
		.toReversed();

const maxDepth = 64;

/** The arguments of a call that repeat content of its event; none if there is no event, its body was not kept, or it is not JSON. Yields to the event loop between steps. */
export async function searchEvent(
	approval: Approval,
	getDelivery: (id: string) => Promise<StoredDelivery | undefined>,
): Promise<readonly FromEvent[]> {
	const {delivery} = approval;
	const stored =
		approval.kind === 'tool' && delivery !== undefined ? await getDelivery(delivery) : undefined;
	const payload = stored && receivedBody(stored)?.payload();
	if (approval.kind !== 'tool' || payload === undefined) {
		return [];
	}

	const search = findFromEvent(approval.args, payload);
	let step = search.next();
	while (step.done !== true) {
		// oxlint-disable-next-line no-await-in-loop -- steps, so that a large payload does not block the event loop
		await turn();
		step = search.next();
	}

	return step.value;
}
