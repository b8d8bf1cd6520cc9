import type {JsonValue} from '../core/json.ts';

/** Names a document. */
export type DocumentKey = {
	/** The kind of document, such as `subscription` or `job`. */
	readonly kind: string;
	/** Empty when the document belongs to no profile. */
	readonly profile: string;
	readonly name: string;
};

/** A stored document. `version` grows with each change of any document. */
export type StoredDocument = Omit<DocumentKey, 'kind'> & {
	readonly version: number;
	readonly data: JsonValue;
};

/** A change of a document; `data` is absent if it was removed. */
export type DocumentChange = DocumentKey & {
	readonly version: number;
	readonly data?: JsonValue;
};

/** The version on which a change is based; any other current version is a conflict. 0: the document must not exist; absent: any version. */
type Expected = {readonly expected?: number};

/**
 * What people edit, shared by all gateways on the store: subscriptions, jobs, tokens of tool servers. Each change publishes `documents-changed` once it is on disk.
 * Encryption is up to the caller.
 */
export type Documents = {
	get(key: DocumentKey): Promise<StoredDocument | undefined>;
	/** The documents of a kind, by profile and name. */
	list(kind: string): Promise<readonly StoredDocument[]>;
	/**
	 * Changes since `version` (0 for all), oldest first, at most 1,000: the last change of each document, of all kinds or of one. Changes become visible in the order of their
	 * versions, since versions are assigned in the order of commits. The newest 10,000 removals are remembered.
	 */
	changedSince(version: number, kind?: string): Promise<readonly DocumentChange[]>;
	/**
	 * Durably writes a document; resolves with its version.
	 * @throws SvcError `document_changed` when the stored version is not `expected`, `journal_unavailable`
	 */
	put(document: DocumentKey & Expected & {readonly data: JsonValue}): Promise<number>;
	/** Durably removes a document; `false` when it does not exist. Errors as for `put`. */
	remove(key: DocumentKey & Expected): Promise<boolean>;
};
