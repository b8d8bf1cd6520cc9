import {every, type Clock} from '../../core/clock.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {createMutex} from '../../core/mutex.ts';
import type {DocumentChange, DocumentKey, Documents} from '../../store/document-port.ts';
import type {Leases, StoreNotes} from '../../store/shared-port.ts';
import {lockKey, openStrongbox, type Strongbox} from './strongbox.ts';

/** How often changes are polled, milliseconds: a note of another member may be lost. */
const lookMs = 1000;

/** Page size of one query. */
const pageSize = 1000;

/** The parts of a store that documents need. */
export type DocumentStore = {
	readonly documents: Documents;
	readonly leases: Leases;
	readonly events: Pick<StoreNotes, 'subscribe'>;
};

/** A stored document, with those secrets decrypted that can be. */
export type MirroredDocument = {readonly version: number; readonly data: JsonValue};

/** The documents of a database, cached in memory as of the last poll, so that a request that needs its route does not wait for the database. */
export type DocumentMirror = ReturnType<typeof createDocumentMirror>;

type Shelf = {stamp: number; readonly documents: Map<string, MirroredDocument & {raw: JsonValue}>};

/** Reads nothing before `follow`. */
export function createDocumentMirror(world: {
	readonly clock: Clock;
	/** Name of the database, for messages. */
	readonly name: string;
	/** Called when the documents are first read. */
	readonly storeKey: () => string | undefined;
	/** Called once when polling fails, and with `undefined` when it works again. */
	readonly onProblem?: (problem: string | undefined) => void;
}) {
	const {clock, name, storeKey, onProblem = () => {}} = world;
	const shelves = new Map<string, Shelf>();
	const listeners = new Set<(changes: readonly DocumentChange[]) => void>();
	/** Changes to be passed to listeners after the next successful poll. */
	const untold: DocumentChange[] = [];
	const oneByOne = createMutex();
	let source: DocumentStore | undefined;
	let box: Strongbox | undefined;
	let seen = 0;
	let isRead = false;
	/** The database's key has changed, and `box` has the old one: writing is refused until it has the new one. */
	let isLockStale = false;
	let problem: string | undefined;
	const stack = new DisposableStack();

	const store = () => {
		if (!source) {
			throw notRead();
		}

		return source;
	};

	const notRead = () =>
		new SvcError('journal_unavailable', problem ?? `Cannot read ${name}: it is not open yet`);

	const shelfOf = (kind: string, profile: string): Shelf => {
		const key = JSON.stringify([kind, profile]);
		const shelf = shelves.get(key) ?? {stamp: 0, documents: new Map<string, never>()};
		shelves.set(key, shelf);
		return shelf;
	};

	const take = ({kind, profile, name: document, version, data}: DocumentChange) => {
		const shelf = shelfOf(kind, profile);
		shelf.stamp += 1;
		if (data === undefined) {
			shelf.documents.delete(document);
		} else {
			const opened = opener({kind, profile, name: document}, data);
			shelf.documents.set(document, {version, raw: data, data: opened});
		}
	};

	const opener = (key: DocumentKey, data: JsonValue): JsonValue => box?.open(key, data) ?? data;

	/** Reads the changed key, and decrypts all cached documents with it. */
	const changeLock = async () => {
		box = await openStrongbox(store().documents, storeKey());
		for (const [key, shelf] of shelves) {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `shelfOf` writes it
			const [kind, profile] = JSON.parse(key) as [string, string];
			shelf.stamp += 1;
			for (const [document, {version, raw}] of shelf.documents) {
				const data = opener({kind, profile, name: document}, raw);
				shelf.documents.set(document, {version, raw, data});
			}
		}
	};

	const look = async () => {
		box ??= await openStrongbox(store().documents, storeKey());
		for (let page = pageSize; page === pageSize;) {
			// oxlint-disable-next-line no-await-in-loop -- each page begins where the last one ends
			const found = await store().documents.changedSince(seen);
			page = found.length;
			for (const change of found) {
				take(change);
				seen = Math.max(seen, change.version);
				untold.push(change);
				isLockStale ||= change.kind === lockKey.kind;
			}
		}

		isRead = true;
		if (isLockStale) {
			await changeLock();
			isLockStale = false;
		}

		return untold.splice(0);
	};

	const refresh = async () => {
		let changes: readonly DocumentChange[];
		try {
			changes = await oneByOne(look);
			tellOf(undefined);
		} catch (error) {
			tellOf(messageOf(error));
			throw error;
		}

		if (changes.length > 0) {
			for (const listener of listeners) {
				listener(changes);
			}
		}
	};

	const tellOf = (found: string | undefined) => {
		if (found !== problem) {
			problem = found;
			onProblem(found);
		}
	};

	// A failure is reported, and the poll repeated.
	const lookAgain = async () => refresh().catch(() => {});

	return {
		/** Begins polling: now, once a second, and at each note of another member. Resolves after the first poll, even if it failed. */
		async follow(opened: DocumentStore) {
			source = opened;
			stack.defer(
				opened.events.subscribe(note => {
					if (note.kind === 'documents-changed') {
						void lookAgain();
					}
				}),
			);
			stack.defer(every(clock, lookMs, lookAgain));
			await lookAgain();
		},
		/** Sets the reason why no store is followed. */
		cannotFollow(reason: string) {
			problem = reason;
		},
		/** Polls now. @throws SvcError `journal_unavailable` */
		refresh,
		/** @throws SvcError `journal_unavailable` before the first successful poll */
		of(kind: string, profile: string): ReadonlyMap<string, MirroredDocument> {
			if (!isRead) {
				throw notRead();
			}

			return shelfOf(kind, profile).documents;
		},
		/** A text that changes whenever the result of `of` does. */
		stampOf: (kind: string, profile: string): string =>
			isRead ? `rows ${shelfOf(kind, profile).stamp}` : `unread ${problem ?? ''}`,
		/** Writes a document with its secrets encrypted. @throws SvcError `store_key_wrong`, `document_changed`, `journal_unavailable` */
		async put(key: DocumentKey, data: JsonValue, expected: number) {
			if (!box || isLockStale) {
				throw notRead();
			}

			await store().documents.put({...key, data: box.close(key, data), expected});
		},
		remove: async (key: DocumentKey, expected: number): Promise<boolean> =>
			store().documents.remove({...key, expected}),
		/** The store that is followed. @throws SvcError `journal_unavailable` before it is open */
		store,
		get strongbox() {
			return box;
		},
		/** Calls `listener`, which must not throw, with the changes of each poll as stored in the database. Returns the unsubscribe function. */
		subscribe(listener: (changes: readonly DocumentChange[]) => void): () => void {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
		async [Symbol.asyncDispose]() {
			stack.dispose();
			listeners.clear();
			await oneByOne(async () => {});
		},
	};
}
