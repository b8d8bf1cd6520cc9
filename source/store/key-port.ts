import type {KeyRecord, KeyUsage} from '../core/api-key.ts';

/** What a key used on one day. */
export type KeyUse = KeyUsage & {
	/** `KeyRecord.id`. */
	readonly id: string;
	/** A day in UTC: `2026-11-23`. */
	readonly day: string;
};

/** Keys of the chat API, and their usage. Contains hashes of secrets only. */
export type StoredKeys = {
	/** All keys, or those in `keys`, oldest first. */
	list(keys?: readonly string[]): Promise<readonly KeyRecord[]>;
	/**
	 * Durably writes a new or changed key. If more than 1,000 keys have ended by `now` (milliseconds since 1970), drops those that ended longest ago; resolves with their
	 * identifiers.
	 * @throws SvcError `journal_unavailable`; `keys_full` when 1,000 keys are in force
	 */
	put(key: KeyRecord, now: number): Promise<readonly string[]>;
	/**
	 * Durably adds usage; `usedAt` is each key's last use, milliseconds since 1970. Skips unknown keys. `batch` names the addition: this gateway's last batch is not added
	 * again, so that a call that rejected may be repeated even if it was written.
	 */
	add(uses: readonly KeyUse[], usedAt: ReadonlyMap<string, number>, batch?: string): Promise<void>;
	/** The use of each key, or of those in `keys`, on each day from `day` on. */
	usesSince(day: string, keys?: readonly string[]): Promise<readonly KeyUse[]>;
	/** The total use of each key, or of those in `keys`. */
	totals(keys?: readonly string[]): Promise<ReadonlyArray<KeyUsage & {readonly id: string}>>;
};
