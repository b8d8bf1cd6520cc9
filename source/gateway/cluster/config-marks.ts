import {createHash, createHmac, scryptSync} from 'node:crypto';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Config} from '../../config/config.ts';
import {keepLast} from '../../core/bounds.ts';
import {canonicalJson, isJsonObject, type JsonValue} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';

/** What members compare: one mark for each configuration key, script and skill that matters. */
export type ConfigMarks = Readonly<Record<string, string>>;

/** Maximum number of separate marks; everything beyond shares one. */
const maxMarks = 400;
/** Maximum number of files of one folder; a larger file than `maxFileBytes` is compared by name and size only. */
const maxFiles = 500;
const maxFileBytes = 1024 * 1024;
/** Maximum number of cached digests: the files of both folders. */
const maxDigests = 2 * maxFiles;

/** Keys that may differ between members: addresses, the member's name, how it reaches the database. */
const own: ReadonlySet<string> = new Set([
	'platforms.webhook.host',
	'platforms.webhook.port',
	'api.host',
	'api.port',
	'metrics.host',
	'gateway.node',
	'gateway.store',
	// Compared by the key that makes the other marks.
	'gateway.store_key',
]);

/** Objects below the sections that have a mark for each of their keys. */
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
		// A constant: with different secrets, this mark differs like all others.
		['gateway.store_key', markOf('')],
		...first,
		...(rest.length === 0 ? [] : [['(more)', markOf(JSON.stringify(rest))]]),
	]);
}

let derived: {readonly secret: string; readonly key: Buffer} | undefined;

/**
 * Derives the HMAC key slowly, because the marks are in the database: guessing the secret from them must be as slow as decrypting the database. Takes tens of milliseconds,
 * so the last key is cached.
 */
function keyOf(secret: string): Buffer {
	if (derived?.secret !== secret) {
		derived = {secret, key: scryptSync(secret, 'svc marks of a configuration', 32)};
	}

	return derived.key;
}

/** Keys in which two members differ; only `gateway.store_key` if their marks are made with different secrets. */
export function differingKeys(some: ConfigMarks, others: ConfigMarks): readonly string[] {
	const keys = [...new Set([...Object.keys(some), ...Object.keys(others)])].filter(
		key => some[key] !== others[key],
	);
	return keys.includes('gateway.store_key') ? ['gateway.store_key'] : keys.toSorted();
}

/** Normalises the receiver's settings, which may be written in two places. */
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

/** Splits a value into the parts that have marks of their own, by path. */
function partsOf(value: JsonValue, path: string): ReadonlyArray<readonly [string, JsonValue]> {
	if (!isJsonObject(value) || (path.includes('.') && !opened.has(path))) {
		return own.has(path) ? [] : [[path, value]];
	}

	return Object.entries(value).flatMap(([key, member]) =>
		member === undefined ? [] : partsOf(member, path === '' ? key : `${path}.${key}`),
	);
}

/** The relative and the full path of each file below `folder`; empty if it cannot be read. */
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

/** Cached digests, by file, with the time and size for which they hold. */
const digests = new Map<string, {readonly stamp: string; readonly digest: string}>();

/** A digest of a file's contents, which are read again only when its time or size changes: all files are asked for every ten seconds. */
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
