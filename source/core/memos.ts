import type {JsonValue} from './json.ts';

/** Small facts that a room stores by kind and name: the newest 10,000 of each kind. */
export type Memos = {
	get(kind: string, name: string): Promise<JsonValue | undefined>;
	/** All of a kind, the newest first. */
	list(kind: string): Promise<ReadonlyArray<{readonly name: string; readonly value: JsonValue}>>;
	/** Stores a fact durably, replacing one of the same name. @throws SvcError `journal_unavailable` */
	put(kind: string, name: string, value: JsonValue): Promise<void>;
	/** Same errors as `put`. */
	drop(kind: string, name: string): Promise<void>;
};
