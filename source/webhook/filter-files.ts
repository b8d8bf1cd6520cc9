import {readFileSync, statSync} from 'node:fs';
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
 * The files of `in_file`: inside the profile's `home`, at most 4 MiB, read again when time, size or inode changed. A file that cannot be used
 * holds nothing; the log says so once per change.
 *
 * @see Interface 2.6
 */
export function createFilterFiles({
	home,
	log,
}: {
	readonly home: string;
	readonly log: Logger;
}): HoldsValue {
	const files = new Map<string, {readonly stamp: string; readonly membership: Membership}>();

	const load = (path: string): Membership => {
		const real = containedPath(home, path);
		if (real === undefined) {
			log.warn(`Cannot use filter file "${path}": it must exist inside ${home}`);
			return holdsNothing;
		}

		try {
			// Only ordinary files are opened: a pipe would wait forever.
			const stats = statSync(real);
			if (!stats.isFile() || stats.size > mostBytes) {
				log.warn(
					`Cannot use filter file "${path}": it must be a file of at most ${mostBytes} bytes`,
				);
				return holdsNothing;
			}

			return membershipOf(readFileSync(real, 'utf8'));
		} catch {
			log.warn(`Cannot read filter file "${path}": check its permissions`);
			return holdsNothing;
		}
	};

	return (path, value) => {
		const stamp = stampOf(resolve(home, path));
		const known = files.get(path);
		if (known?.stamp === stamp) {
			return known.membership(value);
		}

		if (files.size >= mostFiles) {
			files.clear();
		}

		const membership = load(path);
		files.set(path, {stamp, membership});
		return membership(value);
	};
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
	const nested = list.filter(item => typeof item === 'object' && item !== null);
	return value =>
		typeof value === 'object' && value !== null
			? nested.some(item => deepEqual(item, value))
			: plain.has(value);
}
