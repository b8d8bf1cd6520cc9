import type {JsonValue} from './json.ts';

/** Small facts that a room keeps beyond its process, by kind and name: the newest 10,000 of a kind. */
export type Memos = {
	get(kind: string, name: string): Promise<JsonValue | undefined>;
	/** Those of a kind, the newest first. */
	list(kind: string): Promise<ReadonlyArray<{readonly name: string; readonly value: JsonValue}>>;
	/** Durably, in place of what had the name. @throws SvcError `journal_unavailable` */
	put(kind: string, name: string, value: JsonValue): Promise<void>;
	/** Same errors as `put`. */
	drop(kind: string, name: string): Promise<void>;
};
