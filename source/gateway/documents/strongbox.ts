import {randomBytes} from 'node:crypto';
import type {KeyPath} from '../../config/plain-data.ts';
import {placedSecrets} from '../../config/route-edit/kept-secrets.ts';
import {codeOf, SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {createSealer, isSealed, type Sealer} from '../../core/seal.ts';
import type {DocumentKey, Documents} from '../../store/document-port.ts';

/** The document that identifies the database's encryption key: a salt, and a sealed text by which a wrong key is recognised. */
export const lockKey: DocumentKey = {kind: 'lock', profile: '', name: 'store_key'};

const checkText = 'svc';

/**
 * Encrypts the secrets in documents. `plain`: no key is set and the database has none. `open`: the key fits. `locked`: the secrets are encrypted with a key other than the
 * configured one, or none is configured; unreadable secrets stay sealed, and no secret is written.
 */
export type Strongbox = {
	readonly state: 'plain' | 'open' | 'locked';
	/** Encrypts other texts for members; only when `open`. */
	readonly sealer?: Sealer;
	/** Encrypts a document's secrets for writing. @throws SvcError `store_key_wrong` for a document with a secret while `locked` */
	close(key: DocumentKey, data: JsonValue): JsonValue;
	/** Decrypts a document's secrets; those that cannot be decrypted stay sealed. */
	open(key: DocumentKey, data: JsonValue): JsonValue;
};

/** Opens the strongbox of a database; one without a key gets `storeKey`. @throws SvcError `journal_unavailable` */
export async function openStrongbox(
	documents: Pick<Documents, 'get' | 'put'>,
	storeKey: string | undefined,
): Promise<Strongbox> {
	const lock = (await documents.get(lockKey))?.data;
	if (lock === undefined) {
		return storeKey === undefined ? plainBox : fitLock(documents, storeKey);
	}

	const sealer = storeKey === undefined ? undefined : await sealerOf(lock, storeKey);
	return sealer ? boxOf(sealer) : lockedBox(storeKey !== undefined);
}

/** Creates the lock, or opens the one that another member created first. */
async function fitLock(
	documents: Pick<Documents, 'get' | 'put'>,
	storeKey: string,
): Promise<Strongbox> {
	const {data, sealer} = await makeLock(storeKey);
	try {
		await documents.put({...lockKey, data, expected: 0});
		return boxOf(sealer);
	} catch (error) {
		if (codeOf(error) !== 'document_changed') {
			throw error;
		}

		return openStrongbox(documents, storeKey);
	}
}

/** Creates a lock document for `storeKey`. */
async function makeLock(
	storeKey: string,
	salt: string = randomBytes(16).toString('base64url'),
): Promise<{readonly data: JsonValue; readonly sealer: Sealer}> {
	const sealer = await createSealer(storeKey, salt);
	return {sealer, data: {salt, check: sealer.seal(checkText, placeOf(lockKey))}};
}

/** `undefined` when the lock belongs to another key. */
async function sealerOf(lock: JsonValue, storeKey: string): Promise<Sealer | undefined> {
	const {salt, check} = isJsonObject(lock) ? lock : {};
	if (typeof salt !== 'string' || typeof check !== 'string') {
		return undefined;
	}

	const sealer = await createSealer(storeKey, salt);
	return sealer.open(check, placeOf(lockKey)) === checkText ? sealer : undefined;
}

const placeOf = ({kind, profile, name}: DocumentKey): readonly string[] => [kind, profile, name];

const plainBox: Strongbox = {state: 'plain', close: (_, data) => data, open: (_, data) => data};

/** The open box with this sealer. */
const boxOf = (sealer: Sealer): Strongbox => ({
	state: 'open',
	sealer,
	close: (key, data) =>
		mapSecrets(key, data, secret =>
			// A secret that could not be decrypted stays as it is.
			isSealed(secret) ? secret : sealer.seal(JSON.stringify(secret), placeOf(key)),
		),
	open: (key, data) =>
		mapSealed(key.kind === lockKey.kind ? null : data, sealed => {
			const text = sealer.open(sealed, placeOf(key));
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was sealed as JSON
			return text === undefined ? sealed : (JSON.parse(text) as JsonValue);
		}),
});

const lockedBox = (hasKey: boolean): Strongbox => ({
	state: 'locked',
	close: (key, data) =>
		mapSecrets(key, data, secret => {
			if (isSealed(secret)) {
				return secret;
			}

			throw new SvcError(
				'store_key_wrong',
				`Cannot write the secret of "${key.name}": ${hasKey ? 'gateway.store_key is not the key that the secrets in the database are encrypted with' : 'gateway.store_key is not set, but the secrets in the database are encrypted'}; set the key that the other gateways have`,
			);
		}),
	open: (_, data) => data,
});

/** Changes every secret of a document: in a subscription those of its route; other kinds are one secret or have none. */
function mapSecrets(
	{kind}: DocumentKey,
	data: JsonValue,
	change: (secret: JsonValue) => JsonValue,
): JsonValue {
	if (kind === 'token') {
		return change(data);
	}

	if (kind !== 'subscription' || !isJsonObject(data)) {
		return data;
	}

	const {entry} = documentEntryOf(data);
	return {
		...data,
		entry: placedSecrets(entry).reduce(
			(changed, {path}) => replaceAt(changed, path, change),
			entry,
		),
	};
}

function replaceAt(
	value: JsonValue,
	[step, ...rest]: KeyPath,
	change: (value: JsonValue) => JsonValue,
): JsonValue {
	if (step === undefined) {
		return change(value);
	}

	if (Array.isArray(value)) {
		return value.map((member: JsonValue, index) =>
			index === Number(step) ? replaceAt(member, rest, change) : member,
		);
	}

	if (!isJsonObject(value)) {
		return value;
	}

	const name = String(step);
	return {...value, [name]: replaceAt(value[name] ?? null, rest, change)};
}

/** Changes every sealed text anywhere in the value. */
function mapSealed(value: JsonValue, change: (sealed: string) => JsonValue): JsonValue {
	if (isSealed(value)) {
		return change(value);
	}

	if (Array.isArray(value)) {
		return value.map((member: JsonValue) => mapSealed(member, change));
	}

	return isJsonObject(value)
		? Object.fromEntries(
				Object.entries(value).map(([key, member]) => [key, mapSealed(member, change)]),
			)
		: value;
}

/**
 * Encrypts all secrets with another key; resolves with the number of documents written. The salt stays, and the lock is written last, so that an interrupted change can be
 * repeated.
 *
 * @throws SvcError `store_key_wrong` when `from` is not the key of the database, `document_changed`, `journal_unavailable`
 */
export async function changeStoreKey(
	documents: Documents,
	{from, to}: {readonly from: string; readonly to: string},
): Promise<number> {
	const stored = await documents.get(lockKey);
	const lock = stored?.data ?? null;
	const before = await sealerOf(lock, from);
	const {salt} = isJsonObject(lock) ? lock : {};
	if (!stored || !before || typeof salt !== 'string') {
		throw new SvcError(
			'store_key_wrong',
			'Cannot change the key: the old one is not that which the secrets of the database are encrypted with',
		);
	}

	const {data: next, sealer} = await makeLock(to, salt);
	const [old, fresh] = [boxOf(before), boxOf(sealer)];
	const lists = await Promise.all(
		['subscription', 'token'].map(async kind =>
			(await documents.list(kind)).map(document => ({...document, kind})),
		),
	);
	let written = 0;
	for (const {version, data, ...key} of lists.flat()) {
		const open = fresh.open(key, old.open(key, data));
		if (holdsSealed(data) || hasPlain(key, data)) {
			// oxlint-disable-next-line no-await-in-loop -- one document after the other
			await documents.put({...key, data: fresh.close(key, open), expected: version});
			written += 1;
		}
	}

	await documents.put({...lockKey, data: next, expected: stored.version});
	return written;
}

/**
 * Encrypts secrets that were written before there was a key. A document that another member changes meanwhile is encrypted by that member.
 *
 * @throws SvcError `journal_unavailable`
 */
export async function sealPlain(
	documents: Pick<Documents, 'list' | 'put'>,
	box: Strongbox,
): Promise<void> {
	for (const {profile, name, version, data} of await documents.list('subscription')) {
		const key = {kind: 'subscription', profile, name};
		if (hasPlain(key, data)) {
			// oxlint-disable-next-line no-await-in-loop -- once in the life of a database
			await documents
				.put({...key, data: box.close(key, data), expected: version})
				.catch(unlessChanged);
		}
	}
}

const unlessChanged = (error: unknown): void => {
	if (codeOf(error) !== 'document_changed') {
		throw error;
	}
};

/** Whether a document has a secret that is not encrypted. */
export function hasPlain(key: DocumentKey, data: JsonValue): boolean {
	let found = false;
	mapSecrets(key, data, secret => {
		found ||= !isSealed(secret);
		return secret;
	});
	return found;
}

/** Whether it contains a secret that could not be decrypted. */
export function holdsSealed(value: JsonValue): boolean {
	let found = false;
	mapSealed(value, sealed => {
		found = true;
		return sealed;
	});
	return found;
}

/** An entry of a subscription or job document, with its position among those of its profile: rows have no order. */
export type PlacedEntry = {readonly order: number; readonly entry: JsonValue};

/** Parses such a document. */
export const documentEntryOf = (data: JsonValue): PlacedEntry => {
	const {order = 0, entry = null} = isJsonObject(data) ? data : {};
	return {order: Number(order), entry};
};

/** Counts secrets for the doctor. `plain`: documents with unencrypted secrets; `locked`: documents that this key does not decrypt. */
export async function examineSecrets(
	documents: Pick<Documents, 'get' | 'list'>,
	storeKey: string | undefined,
): Promise<{readonly plain: number; readonly locked: number}> {
	const lock = (await documents.get(lockKey))?.data;
	const sealer =
		lock === undefined || storeKey === undefined ? undefined : await sealerOf(lock, storeKey);
	const all = await documents.list('subscription');
	const counts = all.map(({profile, name, data}) => {
		const key = {kind: 'subscription', profile, name};
		return {
			isPlain: hasPlain(key, data),
			isLocked: holdsSealed(sealer ? boxOf(sealer).open(key, data) : data),
		};
	});
	return {
		plain: counts.filter(({isPlain}) => isPlain).length,
		locked: counts.filter(({isLocked}) => isLocked).length,
	};
}
