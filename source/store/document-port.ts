import type {JsonValue} from '../core/json.ts';

/** Names a document. */
export type DocumentKey = {
	/** `subscription`, `job`, …: what it is. */
	readonly kind: string;
	/** Empty where no profile has it. */
	readonly profile: string;
	readonly name: string;
};

/** A document as it stands. `version` is greater with each change of any document. */
export type StoredDocument = Omit<DocumentKey, 'kind'> & {
	readonly version: number;
	readonly data: JsonValue;
};

/** What became of a document; without `data` it was removed. */
export type DocumentChange = DocumentKey & {
	readonly version: number;
	readonly data?: JsonValue;
};

/** The version that a change is based on; any other current version is a conflict. 0: no document; absent: any version. */
type Expected = {readonly expected?: number};

/**
 * What people edit, shared by all gateways on the store: subscriptions, jobs, tokens of tool servers. Each change publishes `documents-changed` once it is on disk. Nothing here is encrypted: that
 * is the caller's.
 */
export type Documents = {
	get(key: DocumentKey): Promise<StoredDocument | undefined>;
	/** Those of a kind, by profile and name. */
	list(kind: string): Promise<readonly StoredDocument[]>;
	/**
	 * The changes since `version` (0: since ever), oldest first, at most 1,000: the last change of each document, of all kinds or of one. Changes become visible in the order of their versions, since versions are given in
	 * the order of the commits. Of what was removed the newest 10,000 are remembered.
	 */
	changedSince(version: number, kind?: string): Promise<readonly DocumentChange[]>;
	/**
	 * Durably writes a document; its version.
	 * @throws SvcError `document_changed` when another version than `expected` stands there, `journal_unavailable`
	 */
	put(document: DocumentKey & Expected & {readonly data: JsonValue}): Promise<number>;
	/** Durably removes a document; `false` when there was none. Errors as of `put`. */
	remove(key: DocumentKey & Expected): Promise<boolean>;
};
