import type {KeyRecord, KeyUsage} from '../core/api-key.ts';

/** What a key has used on one day. */
export type KeyUse = KeyUsage & {
	/** `KeyRecord.id`. */
	readonly id: string;
	/** By UTC: `2026-11-23`. */
	readonly day: string;
};

/** Keys of the chat API, and what they have used. No secret is here, only hashes. */
export type StoredKeys = {
	/** All, or those of `keys`, oldest first. */
	list(keys?: readonly string[]): Promise<readonly KeyRecord[]>;
	/**
	 * Durably writes a key, new or changed, and drops those that ended longest ago where more than 1,000 have by `now`, milliseconds since 1970; answers their identifiers.
	 * @throws SvcError `journal_unavailable`; `keys_full` when 1,000 keys are in force
	 */
	put(key: KeyRecord, now: number): Promise<readonly string[]>;
	/**
	 * Durably adds what was used; `usedAt` of a key is its last use, milliseconds since 1970. Uses of keys that are not there are left out. `batch` names what is added: what this gateway added last is not added
	 * again, so that a call that rejected may be repeated although it was written.
	 */
	add(uses: readonly KeyUse[], usedAt: ReadonlyMap<string, number>, batch?: string): Promise<void>;
	/** What each key, or each of `keys`, used on each day since `day`, that day too. */
	usesSince(day: string, keys?: readonly string[]): Promise<readonly KeyUse[]>;
	/** All that each key, or each of `keys`, has ever used. */
	totals(keys?: readonly string[]): Promise<ReadonlyArray<KeyUsage & {readonly id: string}>>;
};
