import {every, type Clock} from '../../core/clock.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {createMutex} from '../../core/mutex.ts';
import type {DocumentChange, DocumentKey, Documents} from '../../store/document-port.ts';
import type {Leases, StoreNotes} from '../../store/shared-port.ts';
import {lockKey, openStrongbox, type Strongbox} from './strongbox.ts';

/** Members tell each other of changes; a look finds what a lost note did not tell. */
const lookMs = 1000;

/** The most that one look returns. */
const pageSize = 1000;

/** What documents need of a store. */
export type DocumentStore = {
	readonly documents: Documents;
	readonly leases: Leases;
	readonly events: Pick<StoreNotes, 'subscribe'>;
};

/** A document as it was written, with its secrets where they can be read. */
export type MirroredDocument = {readonly version: number; readonly data: JsonValue};

/** The documents of a database as of the last look, kept in memory: a request that looks for its route waits for no database. */
export type DocumentMirror = ReturnType<typeof createDocumentMirror>;

type Shelf = {stamp: number; readonly documents: Map<string, MirroredDocument & {raw: JsonValue}>};

/** Nothing is read before `follow`. */
export function createDocumentMirror(world: {
	readonly clock: Clock;
	/** Of the database, for messages. */
	readonly name: string;
	/** Asked when the documents are first read. */
	readonly storeKey: () => string | undefined;
	/** What keeps it from looking, once; `undefined` when it looks again. */
	readonly onProblem?: (problem: string | undefined) => void;
}) {
	const {clock, name, storeKey, onProblem = () => {}} = world;
	const shelves = new Map<string, Shelf>();
	const listeners = new Set<(changes: readonly DocumentChange[]) => void>();
	/** Changes that listeners are told of once a look succeeds. */
	const untold: DocumentChange[] = [];
	const oneByOne = createMutex();
	let source: DocumentStore | undefined;
	let box: Strongbox | undefined;
	let seen = 0;
	let isRead = false;
	/** Another key fits the database than the one that `box` has: nothing is written with that. */
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

	/** All that was read is read with the new key. */
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

	// What failed is told of, and tried again.
	const lookAgain = async () => refresh().catch(() => {});

	return {
		/** Begins to look: at once, once a second, and when another member says so. Resolves after the first look, also when that failed. */
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
		/** Says why there is nothing to follow. */
		cannotFollow(reason: string) {
			problem = reason;
		},
		/** Looks now. @throws SvcError `journal_unavailable` */
		refresh,
		/** @throws SvcError `journal_unavailable` while there was no look that succeeded */
		of(kind: string, profile: string): ReadonlyMap<string, MirroredDocument> {
			if (!isRead) {
				throw notRead();
			}

			return shelfOf(kind, profile).documents;
		},
		/** Another text when `of` says something else. */
		stampOf: (kind: string, profile: string): string =>
			isRead ? `rows ${shelfOf(kind, profile).stamp}` : `unread ${problem ?? ''}`,
		/** Writes, with secrets encrypted. @throws SvcError `store_key_wrong`, `document_changed`, `journal_unavailable` */
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
		/** Calls `listener`, which must not throw, with the changes of each look, as they stand in the database, until the returned function is called. */
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
