import {
	endOf,
	usualEndpoints,
	type ApiKey,
	type KeyFacts,
	type KeyGrant,
	type KeyRecord,
	hashOfKey,
	hintOfKey,
	kindOfKey,
	mintKey,
	mintKeyId,
} from '../../core/api-key.ts';
import {createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createMutex} from '../../core/mutex.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {MintedKey} from '../../nouns/key/key-acts.ts';
import type {StoredKeys} from '../../store/key-port.ts';
import type {KeyLimits} from '../../store/limits/port.ts';
import type {StoreNotes} from '../../store/shared-port.ts';
import type {KeyDesk} from './desk.ts';
import {admit, endRequests, holdKey, isSameKey, type HeldKey} from './held-key.ts';
import {createKeyUsages, readKeys} from './key-usage.ts';
import {startUsageWriter} from './usage-writer.ts';

const maxNameLength = 64;
/** Delay before keys that could not be read are read again, milliseconds. */
const againMs = 1000;

/** The first key, for the person who has just set up the gateway. */
const firstGrant: KeyGrant = {
	name: 'first',
	kind: 'live',
	endpoints: [...usualEndpoints],
	models: ['*'],
	agents: true,
};

/** @throws SvcError `keys_unreadable` @see manual/api-keys.md */
export async function openKeyDesk(
	world: Pick<World, 'clock' | 'log'> & {
		readonly keys: StoredKeys;
		readonly limits: KeyLimits;
		/** Keys changed at another gateway are read again. */
		readonly events: Pick<StoreNotes, 'subscribe'>;
		/** Called when keys were changed or used (the latter once a second); `gone` keys are no longer listed. Must not throw. */
		readonly onChange?: (changed: readonly ApiKey[], gone: readonly string[]) => void;
	},
): Promise<KeyDesk> {
	const {clock, keys, limits, events, log, onChange = () => {}} = world;
	const [records, recent, totals] = await readKeys(keys, clock.now());
	const usages = createKeyUsages({recent, totals});
	const counted = {clock, usages, limits};
	const held = new Map(records.map(record => [record.id, holdKey(record)]));
	const byHash = new Map(
		[...held.values()].flatMap(one => one.record.secrets.map(({hash}) => [hash, one] as const)),
	);

	const viewOf = (one: HeldKey): ApiKey => ({
		...factsOf(one),
		usage: usages.of(one.record, clock.now()),
	});
	const factsOf = ({record}: HeldKey): KeyFacts => {
		const {secrets, ...facts} = record;
		const now = clock.now();
		const [current, before] = secrets;
		const isRetiring = before?.until !== undefined && before.until > now;
		return {
			...facts,
			hint: current?.hint ?? '',
			...(isRetiring && {retiring: {hint: before.hint, until: before.until}}),
		};
	};

	/** Revoked keys whose revocation is not yet in the journal. */
	const unwritten = new Set<string>();

	/** Serialises changes, so that none is based on an outdated record. */
	const oneByOne = createMutex();
	const forgetSecrets = (one: HeldKey | undefined) => {
		for (const {hash} of one?.record.secrets ?? []) {
			byHash.delete(hash);
		}
	};

	const drop = (id: string) => {
		forgetSecrets(held.get(id));
		held.delete(id);
		limits.forget(id);
	};

	const set = (one: HeldKey, record: KeyRecord) => {
		forgetSecrets(one);

		one.record = {...record, ...(one.record.lastUsedAt && {lastUsedAt: one.record.lastUsedAt})};
		held.set(record.id, one);
		for (const {hash} of record.secrets) {
			byHash.set(hash, one);
		}

		if (record.revokedAt !== undefined) {
			endRequests(one);
		}
	};

	const keep = async (one: HeldKey, record: KeyRecord) => {
		const dropped = await keys.put(record, clock.now());
		for (const id of dropped) {
			drop(id);
		}

		set(one, record);
		onChange([viewOf(one)], dropped);
	};

	/** Applies the keys in the journal: the named ones, or all if none is named. Changes made by this desk are already applied. */
	const takeOver = async (named: readonly string[]) => {
		const stored = new Map((await keys.list()).map(record => [record.id, record]));
		const changed: HeldKey[] = [];
		const gone: string[] = [];
		const ids = named.length === 0 ? new Set([...held.keys(), ...stored.keys()]) : new Set(named);
		// Unwritten revocations are kept: the journal does not have them yet.
		for (const id of ids.difference(unwritten)) {
			const record = stored.get(id);
			const known = held.get(id);
			if (!record && known) {
				drop(id);
				gone.push(id);
			} else if (record && !(known && isSameKey(known.record, record))) {
				const one = known ?? holdKey(record);
				set(one, record);
				changed.push(one);
			}
		}

		if (changed.length + gone.length > 0) {
			onChange(changed.map(viewOf), gone);
		}
	};

	const again = createTimer(clock);
	/** Runs after the change in progress here, which reports itself. */
	const takeOverSoon = (ids: readonly string[]) => {
		void oneByOne(async () => takeOver(ids)).catch((error: unknown) => {
			log.warn('Cannot read keys that were changed, trying again', {error: messageOf(error)});
			again.set(againMs, () => takeOverSoon([]));
		});
	};

	const unsubscribe = events.subscribe(note => {
		if (note.kind === 'keys-used') {
			writer.refresh(note.keys);
		}

		if (note.kind === 'keys-changed') {
			takeOverSoon(note.keys);
		}
	});

	const mint = async ({name, ...grant}: KeyGrant, prefix: string): Promise<MintedKey> => {
		const secret = mintKey({kind: grant.kind, prefix});
		const record: KeyRecord = {
			...grant,
			id: mintKeyId(),
			name: escapeLine(name, maxNameLength),
			createdAt: clock.now(),
			secrets: [{hash: hashOfKey(secret), hint: hintOfKey(secret)}],
		};
		const one = holdKey(record);
		await keep(one, record);
		log.note(`Made the key ${record.id} (${hintOfKey(secret)})`);
		return {key: viewOf(one), secret};
	};

	const writer = startUsageWriter({
		clock,
		keys,
		usages,
		log,
		onUsed(ids, stored = []) {
			for (const {id, lastUsedAt = 0} of stored) {
				const one = held.get(id);
				if (one && lastUsedAt > (one.record.lastUsedAt ?? 0)) {
					one.record = {...one.record, lastUsedAt};
				}
			}

			const used = ids.length === 0 ? [...held.values()] : ids.flatMap(id => held.get(id) ?? []);
			onChange(used.map(viewOf), []);
		},
	});
	onChange([...held.values()].map(viewOf), []);
	return {
		list: () => [...held.values()].map(viewOf),
		create: async (grant, prefix) => oneByOne(async () => mint(grant, prefix)),
		createFirst: async prefix =>
			oneByOne(async () => (held.size === 0 ? mint(firstGrant, prefix) : undefined)),
		days: id => (held.has(id) ? usages.daysOf(id) : undefined),
		rotate: async (id, {overlapMs, prefix}) =>
			oneByOne(async () => {
				// Another gateway may have revoked or rotated the key: that must not be overwritten.
				await takeOver([id]);
				const one = held.get(id);
				if (!one || endOf(one.record, clock.now())) {
					return undefined;
				}

				const secret = mintKey({kind: one.record.kind, prefix});
				const [current] = one.record.secrets;
				await keep(one, {
					...one.record,
					secrets: [
						{hash: hashOfKey(secret), hint: hintOfKey(secret)},
						...(current && overlapMs > 0 ? [{...current, until: clock.now() + overlapMs}] : []),
					],
				});
				log.note(`Rotated the key ${id} (${hintOfKey(secret)})`);
				return {key: viewOf(one), secret};
			}),
		revoke: async id =>
			oneByOne(async () => {
				const one = held.get(id);
				if (one && (one.record.revokedAt === undefined || unwritten.has(id))) {
					// The key is invalid from now on, even if the journal cannot be written: the person gets that error and retries.
					one.record = {...one.record, revokedAt: one.record.revokedAt ?? clock.now()};
					endRequests(one);
					unwritten.add(id);
					await keep(one, one.record);
					unwritten.delete(id);
					log.note(`Revoked the key ${id}`);
				}

				return one && viewOf(one);
			}),
		authenticate(secret) {
			if (kindOfKey(secret) === undefined) {
				return {problem: 'malformed'};
			}

			const hash = hashOfKey(secret);
			const one = byHash.get(hash);
			const now = clock.now();
			const found = one?.record.secrets.find(each => each.hash === hash);
			if (!one || !found || (found.until !== undefined && found.until <= now)) {
				return {problem: 'unknown'};
			}

			const end = endOf(one.record, now);
			return end ? {problem: end} : {key: factsOf(one)};
		},
		async admit(id, need) {
			const one = held.get(id);
			if (!one) {
				throw new Error(`There is no key ${id}`);
			}

			return admit(one, need, counted);
		},
		left(id) {
			const one = held.get(id);
			const rpm = one?.record.rpm;
			return rpm === undefined ? undefined : limits.left(id, rpm);
		},
		async [Symbol.asyncDispose]() {
			unsubscribe();
			again[Symbol.dispose]();
			// Waits until keys are no longer being applied.
			await oneByOne(async () => {});
			await writer[Symbol.asyncDispose]();
		},
	};
}
