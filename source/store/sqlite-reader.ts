import {existsSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {createApprovalReader} from './approval-reader.ts';
import {createGroupReader} from './group-reader.ts';
import {createJobReader} from './job-reader.ts';
import {createJournalReader} from './journal-reader.ts';
import {versionOf} from './migrations.ts';
import {showAsCurrent} from './older-schemas.ts';
import type {Groups, Jobs, Journal, Runs, StoredApprovals} from './port.ts';
import {createRunReader} from './run-reader.ts';
import {storeUnreadable} from './sqlite-errors.ts';

/** The part of a store that only looks. */
export type StoreReader = {
	readonly journal: Pick<Journal, 'get' | 'list'>;
	readonly runs: Pick<Runs, 'get' | 'list'>;
	readonly groups: Pick<Groups, 'get' | 'list'>;
	readonly jobs: Pick<Jobs, 'list'>;
	readonly approvals: Pick<StoredApprovals, 'get' | 'settled' | 'rules'>;
	[Symbol.asyncDispose](): Promise<void>;
};

const busyTimeoutMs = 1000;

const emptyReader: StoreReader = {
	journal: {get: async () => undefined, list: async () => []},
	runs: {get: async () => undefined, list: async () => []},
	groups: {get: async () => undefined, list: async () => []},
	jobs: {list: async () => []},
	approvals: {get: async () => undefined, settled: async () => [], rules: async () => []},
	async [Symbol.asyncDispose]() {},
};

/**
 * Looks at the store of a gateway that does not run. A file that is missing, or was never filled, gives empty answers; nothing is
 * created, changed or taken over.
 * @throws SvcError `store_unreadable`, `store_too_new`
 */
export async function openSqliteReader(file: string): Promise<StoreReader> {
	if (!existsSync(file)) {
		return emptyReader;
	}

	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(file, {readOnly: true, timeout: busyTimeoutMs});
		const version = versionOf(database, file);
		if (version === 0) {
			database.close();
			return emptyReader;
		}

		showAsCurrent(database, version);
		return readerOf(database);
	} catch (error) {
		database?.close();
		throw storeUnreadable(file, error);
	}
}

function readerOf(database: DatabaseSync): StoreReader {
	const runs = createRunReader(database);
	return {
		journal: createJournalReader(database),
		runs: {get: async id => runs.read(id), list: runs.list},
		groups: createGroupReader(database),
		jobs: createJobReader(database),
		approvals: createApprovalReader(database),
		async [Symbol.asyncDispose]() {
			if (database.isOpen) {
				database.close();
			}
		},
	};
}
