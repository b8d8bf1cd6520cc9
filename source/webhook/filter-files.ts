import {closeSync, constants, fstatSync, openSync, readFileSync, statSync} from 'node:fs';
import {resolve} from 'node:path';
import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import {containedPath} from './contained-path.ts';
import {deepEqual} from './deep-equal.ts';
import type {HoldsValue} from './filter-operators.ts';

const mostBytes = 4 * 1024 * 1024;

const mostFiles = 256;

/** What a file holds, ready for questions. */
type Membership = (value: JsonValue) => boolean;

const holdsNothing: Membership = () => false;

/**
 * The files of `in_file`, by the home of their profile, inside which they must lie: at most 4 MiB each, read again when time, size or inode changed. A file that cannot be used
 * holds nothing; the log says so once per change.
 *
 * @see Interface 2.6
 */
export function createFilterFiles(log: Logger): (home: string) => HoldsValue {
	const files = new Map<string, {readonly stamp: string; readonly membership: Membership}>();

	const load = (home: string, path: string): Membership => {
		const real = containedPath(home, path);
		if (real === undefined) {
			log.warn(`Cannot use filter file "${path}": it must exist inside ${home}`);
			return holdsNothing;
		}

		try {
			const content = readFile(real);
			if (content === undefined) {
				log.warn(
					`Cannot use filter file "${path}": it must be a file of at most ${mostBytes} bytes`,
				);
				return holdsNothing;
			}

			return membershipOf(content);
		} catch {
			log.warn(`Cannot read filter file "${path}": check its permissions`);
			return holdsNothing;
		}
	};

	return home => (path, value) => {
		const stamp = stampOf(resolve(home, path));
		const name = `${home}\n${path}`;
		const known = files.get(name);
		if (known?.stamp === stamp) {
			return known.membership(value);
		}

		if (files.size >= mostFiles) {
			files.clear();
		}

		const membership = load(home, path);
		files.set(name, {stamp, membership});
		return membership(value);
	};
}

/** A pipe must not be waited for, and a link that has taken the file's place must not be followed. */
const carefully = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** `undefined` for what is no ordinary file of a bearable size. */
function readFile(path: string): string | undefined {
	const file = openSync(path, carefully);
	try {
		const stats = fstatSync(file);
		return stats.isFile() && stats.size <= mostBytes ? readFileSync(file, 'utf8') : undefined;
	} finally {
		closeSync(file);
	}
}

/** Changes when a file must be read again. */
function stampOf(path: string): string {
	try {
		const stats = statSync(path);
		return `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
	} catch {
		return 'unusable';
	}
}

/**
 * A JSON array (its values), a JSON object (its keys), else text with one value a line. Keys and lines are text: numbers and booleans of the payload
 * are compared with them as JSON writes them.
 */
export function membershipOf(content: string): Membership {
	const parsed = parse(content);
	if (Array.isArray(parsed)) {
		return inList(parsed);
	}

	const names = isJsonObject(parsed)
		? Object.keys(parsed)
		: content.split('\n').map(line => line.trim());
	const known = new Set(names.filter(name => name !== ''));
	return value =>
		typeof value === 'object'
			? false
			: known.has(typeof value === 'string' ? value : String(value));
}

function parse(content: string): unknown {
	try {
		return JSON.parse(content);
	} catch {
		return undefined;
	}
}

function inList(list: readonly JsonValue[]): Membership {
	const plain = new Set(list.filter(item => typeof item !== 'object' || item === null));
	const nested = Map.groupBy(
		list.filter(item => typeof item === 'object' && item !== null),
		sizeOf,
	);
	return value =>
		typeof value === 'object' && value !== null
			? (nested.get(sizeOf(value)) ?? []).some(item => deepEqual(value, item))
			: plain.has(value);
}

/** Values of another size are not looked at: a large one must not be compared with every entry of a long file. */
const sizeOf = (value: JsonValue) =>
	typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
