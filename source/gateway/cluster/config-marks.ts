import {createHash, createHmac, scryptSync} from 'node:crypto';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Config} from '../../config/config.ts';
import {keepLast} from '../../core/bounds.ts';
import {canonicalJson, isJsonObject, type JsonValue} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';

/** What members compare: a mark of each key of the configuration, each script and each skill that matters. */
export type ConfigMarks = Readonly<Record<string, string>>;

/** Keys that are marked; of what is more there is one mark for all of it. */
const maxMarks = 400;
/** Of one folder; what is more counts by its name and size. */
const maxFiles = 500;
const maxFileBytes = 1024 * 1024;
/** Files whose digest is remembered: those of both folders. */
const maxDigests = 2 * maxFiles;

/** Keys that may differ: where a member listens, its name, and how it reaches the database. */
const own: ReadonlySet<string> = new Set([
	'platforms.webhook.host',
	'platforms.webhook.port',
	'api.host',
	'api.port',
	'metrics.host',
	'gateway.node',
	'gateway.store',
	// Marked by what it makes of the others.
	'gateway.store_key',
]);

/** Besides the sections themselves, what has a mark for each of its keys. */
const opened: ReadonlySet<string> = new Set(['platforms.webhook', 'platforms.webhook.routes']);

/** The marks of a configuration, keyed with the secret that the members share, or else with the password of the database: an unkeyed mark of a short secret could be guessed. */
export function configMarks({written, paths, gateway}: Config): ConfigMarks {
	const {storeKey, store} = gateway;
	const secret = storeKey ?? decodeURIComponent(URL.parse(store)?.password ?? '');
	const markOf = (text: string) =>
		createHmac('sha256', keyOf(secret)).update(text).digest('base64url').slice(0, 16);
	const files = [...filesOf(paths.scripts, 'scripts'), ...filesOf(paths.skills, 'skills')];
	const members = [
		...partsOf(withoutExtra(written), '').map(
			([key, value]) => [key, markOf(canonicalJson(value))] as const,
		),
		...files.map(([name, file]) => [name, markOf(digestOf(file))] as const),
	];
	const [first, rest] = [members.slice(0, maxMarks), members.slice(maxMarks)];
	return Object.fromEntries([
		// Of secrets that differ, everything would.
		['gateway.store_key', markOf('')],
		...first,
		...(rest.length === 0 ? [] : [['(more)', markOf(JSON.stringify(rest))]]),
	]);
}

let derived: {readonly secret: string; readonly key: Buffer} | undefined;

/** Marks stand in the database: guessing a secret from them must be as slow as decrypting what is there. Deriving takes tens of milliseconds, so the last key is remembered. */
function keyOf(secret: string): Buffer {
	if (derived?.secret !== secret) {
		derived = {secret, key: scryptSync(secret, 'svc marks of a configuration', 32)};
	}

	return derived.key;
}

/** Keys in which two members differ; the key that the marks are made with, if that is another one, stands for all. */
export function differingKeys(some: ConfigMarks, others: ConfigMarks): readonly string[] {
	const keys = [...new Set([...Object.keys(some), ...Object.keys(others)])].filter(
		key => some[key] !== others[key],
	);
	return keys.includes('gateway.store_key') ? ['gateway.store_key'] : keys.toSorted();
}

/** The settings of the receiver may stand in two places. */
function withoutExtra(written: Config['written']): JsonValue {
	const {platforms} = written;
	const webhook = isJsonObject(platforms) ? platforms['webhook'] : undefined;
	if (!isJsonObject(platforms) || !isJsonObject(webhook)) {
		return written;
	}

	const {extra, ...rest} = webhook;
	return {
		...written,
		platforms: {...platforms, webhook: {...rest, ...(isJsonObject(extra) && extra)}},
	};
}

/** What has a mark of its own, by its path. */
function partsOf(value: JsonValue, path: string): ReadonlyArray<readonly [string, JsonValue]> {
	if (!isJsonObject(value) || (path.includes('.') && !opened.has(path))) {
		return own.has(path) ? [] : [[path, value]];
	}

	return Object.entries(value).flatMap(([key, member]) =>
		member === undefined ? [] : partsOf(member, path === '' ? key : `${path}.${key}`),
	);
}

/** The name and the path of each script, and of each skill with all of its files; nothing of what cannot be read. */
const filesOf = (folder: string, name: string): ReadonlyArray<readonly [string, string]> =>
	orElse(
		() =>
			readdirSync(folder, {withFileTypes: true, recursive: true})
				.filter(entry => entry.isFile())
				.map(entry => join(entry.parentPath, entry.name))
				.toSorted()
				.slice(0, maxFiles)
				.map(file => [join(name, file.slice(folder.length)), file] as const),
		[],
	);

/** What a file was when its digest was made. */
const digests = new Map<string, {readonly stamp: string; readonly digest: string}>();

/** Stands for the contents of a file, which are read again only once its time or size has changed: all files are asked for every ten seconds. */
function digestOf(file: string): string {
	try {
		const {size, mtimeMs, ino} = statSync(file);
		if (size > maxFileBytes) {
			return `${size}`;
		}

		const stamp = [size, mtimeMs, ino].join();
		const known = digests.get(file);
		if (known?.stamp === stamp) {
			return known.digest;
		}

		const digest = createHash('sha256').update(readFileSync(file)).digest('base64url');
		keepLast(digests, [file, {stamp, digest}], maxDigests);
		return digest;
	} catch {
		return 'unreadable';
	}
}
