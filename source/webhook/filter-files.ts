import {closeSync, constants, fstatSync, openSync, readFileSync, realpathSync} from 'node:fs';
import {resolve, isAbsolute, relative, sep, join} from 'node:path';
import {stampOf} from '../config/text-files.ts';
import {isJsonObject, type JsonValue, parsedJson} from '../core/json.ts';
import type {World} from '../core/world.ts';
import {deepEqual, type HoldsValue} from './filter-operators.ts';

const maxBytes = 4 * 1024 * 1024;

const maxFiles = 256;

/** A file changed less than this ago may change again without a new time stamp. */
const unsettledMs = 100;

/** Whether a file holds a value. */
type Membership = (value: JsonValue) => boolean;

/** What reading a file gave. */
type Content = {
	readonly membership: Membership;
	/** Why the file is unusable. */
	readonly problem?: string;
};

type Known = Content & {
	readonly stamp: string;
	/** When the stamp was first seen, in monotonic milliseconds. */
	readonly seenAt: number;
	/** Whether every later change will change the stamp, so that the file need not be read until then. */
	readonly isSettled: boolean;
};

const holdsNothing: Membership = () => false;

/**
 * Searches the files that `in_file` filters name. They must lie within the home of their profile, must not be files of the gateway itself, and have at most 4 MiB. Contents are
 * cached by time, size and inode; for 100 ms after a change a file is read at each call, since time stamps are too coarse. An unusable file holds nothing; the log says so once
 * per change.
 *
 * @see manual/filters-and-templates.md#filters
 */
export function createFilterFiles({
	clock,
	log,
}: Pick<World, 'clock' | 'log'>): (home: string) => HoldsValue {
	const files = new Map<string, Known>();

	return home => (path, value) => {
		const {stamp, changedAt} = stampOf(resolve(home, path));
		const name = `${home}\n${path}`;
		const known = files.get(name);
		const same = known?.stamp === stamp ? known : undefined;
		if (same?.isSettled) {
			return same.membership(value);
		}

		if (files.size >= maxFiles) {
			files.clear();
		}

		const now = clock.monotonic();
		const seenAt = same?.seenAt ?? now;
		// The second condition is for time stamps in the future.
		const isSettled = clock.now() - changedAt > unsettledMs || now - seenAt > unsettledMs;
		const content = readContent(home, path);
		files.set(name, {...content, stamp, seenAt, isSettled});
		if (content.problem !== undefined && content.problem !== same?.problem) {
			log.warn(content.problem);
		}

		return content.membership(value);
	};
}

function readContent(home: string, path: string): Content {
	const real = containedPath(home, path);
	if (real === undefined) {
		return unusable(`Cannot use filter file "${path}": it must exist inside ${home}`);
	}

	try {
		if (isPrivatePlace(realpathSync(home), real)) {
			return unusable(
				`Cannot use filter file "${path}": it is one of the gateway's own (.env, config.yaml, profiles/, state.db…), which no filter reads; put the list into a file of its own`,
			);
		}

		const text = readFile(real);
		return text === undefined
			? unusable(`Cannot use filter file "${path}": it must be a file of at most ${maxBytes} bytes`)
			: {membership: membershipOf(text)};
	} catch {
		return unusable(`Cannot read filter file "${path}": check its permissions`);
	}
}

const unusable = (problem: string): Content => ({membership: holdsNothing, problem});

/** Flags with which opening neither blocks on a pipe nor follows a link planted in place of the file. */
const carefully = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** `undefined` for anything but a regular file of at most `maxBytes`. */
function readFile(path: string): string | undefined {
	const file = openSync(path, carefully);
	try {
		const stats = fstatSync(file);
		return stats.isFile() && stats.size <= maxBytes ? readFileSync(file, 'utf8') : undefined;
	} finally {
		closeSync(file);
	}
}

/**
 * Parses a filter file: a JSON array (its values), a JSON object (its keys), else text with one value a line. Keys and lines are text; numbers and booleans of the payload
 * are compared with them in JSON form.
 */
export function membershipOf(content: string): Membership {
	const parsed = parsedJson(content);
	if (Array.isArray(parsed)) {
		return inList(parsed);
	}

	const names = isJsonObject(parsed)
		? Object.keys(parsed)
		: content.split('\n').map(line => line.trim());
	const known = new Set(names.filter(name => name !== ''));
	return value => typeof value !== 'object' && known.has(String(value));
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

/** The number of members. Only values of equal size are compared, so that a large one is not compared with every entry of a long file. */
const sizeOf = (value: JsonValue) =>
	typeof value === 'object' && value !== null ? Object.keys(value).length : 0;

/** Resolves the links of `path` (relative to `folder`); `undefined` unless the result exists inside the real `folder`. */
export function containedPath(folder: string, path: string): string | undefined {
	try {
		const root = realpathSync(folder);
		const real = realpathSync(resolve(root, path));
		return isBelowRoot(root, real) ? real : undefined;
	} catch {
		// Missing, unreadable, a loop of links, or a NUL in the path.
		return undefined;
	}
}

/** Whether `path` lies below `root`, both real paths. */
export function isBelowRoot(root: string, path: string): boolean {
	const way = relative(root, path);
	return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Entries of a home with secrets, untrusted content, or files of other profiles. */
const privateNames = [
	'profiles',
	'run',
	'mcp-tokens',
	'cron',
	'logs',
	'state.db',
	'config.yaml',
	'webhook_subscriptions.json',
] as const;

/** Also matches side files of the database (`state.db-wal`) and copies (`config.yaml.bak`). */
const privateName =
	/^(?:profiles|run|mcp-tokens|cron|logs)$|^(?:state\.db|config\.yaml|webhook_subscriptions\.json)/;

/** Environment files such as `.env` and `.env.local`, in any folder. */
const environmentName = /^\.env(?![a-z0-9])/;

/**
 * Whether `path` within `home` (both real paths) is a file of the gateway itself: a filter on it would let a sender guess its content, one guess per event. Also true for the
 * target of a link in the place of such a file.
 *
 * @see manual/filters-and-templates.md#filters
 */
export function isPrivatePlace(home: string, path: string): boolean {
	// Lower case, since the file system may ignore case.
	const names = relative(home, path).toLowerCase().split(sep);
	return (
		privateName.test(names[0] ?? '') ||
		names.some(name => environmentName.test(name)) ||
		[...privateNames, '.env'].some(name => isAt(join(home, name), path))
	);
}

function isAt(place: string, path: string): boolean {
	try {
		const real = realpathSync(place);
		return real === path || isBelowRoot(real, path);
	} catch {
		// The file does not exist: most homes lack some of these.
		return false;
	}
}
