import {existsSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {createApprovalReader} from './approvals.ts';
import type {OnBroken} from './broken-rows.ts';
import {createConversationReader} from './conversations.ts';
import {immutableDatabaseUrl} from './database-file.ts';
import {createGroupReader} from './groups.ts';
import type {HistorySearching} from './history/port.ts';
import type {HistorySearch} from './history/search.ts';
import {createJobReader} from './jobs.ts';
import {createJournalReader} from './journal-reader.ts';
import {createKeyReader} from './keys.ts';
import {versionOf} from './migrations.ts';
import {emptyReader, type StoreReader} from './reader-port.ts';
import {createRunReader} from './run-reader.ts';
import {sessionSchema} from './session-schema.ts';
import {createSessionReader} from './sessions.ts';
import {storeUnreadable} from './sqlite-errors.ts';

const busyTimeoutMs = 1000;

/**
 * Looks at the store of a gateway that does not run. A file that is missing, or was never filled, gives empty answers; nothing is
 * created, changed or taken over.
 * @throws SvcError `store_unreadable`, `store_too_new`
 */
export async function openSqliteReader(
	file: string,
	{
		leavesNothing = false,
		onBroken = () => {},
	}: {
		/** Not even what SQLite makes beside a file: for a short look. */ readonly leavesNothing?: boolean;
		readonly onBroken?: OnBroken;
	} = {},
): Promise<StoreReader> {
	if (!existsSync(file)) {
		return emptyReader;
	}

	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(leavesNothing ? immutableDatabaseUrl(file) : file, {
			readOnly: true,
			timeout: busyTimeoutMs,
		});
		const version = versionOf(database, file);
		if (version === 0) {
			database.close();
			return emptyReader;
		}

		showAsCurrent(database, version);
		return readerOf({database, onBroken}, version);
	} catch (error) {
		database?.close();
		throw storeUnreadable(file, error);
	}
}

/** Versions before this one know no conversations on platforms. */
const firstWithWriters = 16;

function readerOf(
	parts: {readonly database: DatabaseSync; readonly onBroken: OnBroken},
	version: number,
): StoreReader {
	const {database, onBroken} = parts;
	const runs = createRunReader(database, onBroken);
	return {
		journal: createJournalReader(database, onBroken),
		runs: {get: async id => runs.read(id), list: runs.list},
		groups: createGroupReader(database),
		jobs: createJobReader(database),
		approvals: createApprovalReader(database, onBroken),
		history: createSearching(parts),
		keys: createKeyReader(database),
		sessions: createSessionReader(database, onBroken),
		conversations:
			version < firstWithWriters ? emptyReader.conversations : createConversationReader(parts),
		async [Symbol.asyncDispose]() {
			if (database.isOpen) {
				database.close();
			}
		},
	};
}

/** Steps of a search in this thread: whoever looks at a store that no gateway has open serves nobody meanwhile. Loaded with the first. */
function createSearching({database, onBroken}: Parameters<typeof readerOf>[0]): HistorySearching {
	let search: HistorySearch | undefined;
	const opened = async (): Promise<HistorySearch> => {
		const {createHistorySearch} = await import('./history/search.ts');
		search ??= createHistorySearch(database, onBroken);
		return search;
	};

	return {
		search: async (noun, question) => (await opened()).search(noun, question),
		count: async question => (await opened()).count(question),
		async sum(question) {
			const summing = (await opened()).sum(question);
			for (;;) {
				const sums = summing.step();
				if (sums) {
					return sums;
				}
			}
		},
	};
}

/** What the readers ask for and versions 1 to 3 do not have. Views of the connection hide the tables of the file. */
const beforeGroups = `
	create temp view run as select old.*, null as awaits_logins, null as conversation, null as dropped, null as handed, null as grp, null as superseded, null as job, null as job_name, null as usage,
		(select profile from main.delivery where id = old.delivery) as profile from main.run as old;
	create temp view job_run as select null as run, null as event, null as plan where false;
	create temp view coalesce_group as select null as id, null as profile, null as route, null as key, null as first_at, null as last_at, null as quiet_at,
		null as cap_at, null as count, null as latest, null as target, null as dispatched_at, null as reason, null as run where false;
	create temp view job as select null as profile, null as id, null as next_at, null as basis, null as last_at, null as last_run where false;
`;

/** What they ask for and versions 8 and 9 do not have. */
const beforeLogins =
	'create temp view run as select old.*, null as awaits_logins, null as conversation, null as dropped, null as handed from main.run as old';

/** What they ask for and versions 1 to 4 do not have. */
const beforeApprovals = `
	create temp view approval as select null as id, null as settled_at, null as data where false;
	create temp view approval_rule as select null as id, null as uses, null as data where false;
`;

/** What they ask for and versions 10 to 12 do not have. */
const beforeConversations =
	'create temp view run as select old.*, null as conversation, null as dropped, null as handed from main.run as old';

/** What they ask for and versions 13 and 14 do not have. */
const beforeDrops =
	'create temp view run as select old.*, null as dropped, null as handed from main.run as old';

/** What they ask for and versions 4 to 7 do not have. */
const beforeUsage =
	'create temp view run as select old.*, null as usage, null as awaits_logins, null as conversation, null as dropped, null as handed from main.run as old';

/** What they ask for and versions 1 to 10 do not have. */
const beforeKeys = `
	create temp view api_key as select null as seq, null as id, null as used, null as requests, null as input, null as output, null as data where false;
	create temp view api_key_use as select null as key, null as day, null as requests, null as input, null as output where false;
`;

/** What they ask for and versions 1 to 11 do not have. A view has no index, so these are tables, of the connection alone. */
const beforeSessions = sessionSchema.replaceAll(
	/create (table|virtual table|index|trigger) /g,
	'create $1 temp.',
);

/** Lets a file of an older version look like one of this version to those who only read. Nothing in the file changes; it may be open read-only. */
function showAsCurrent(database: DatabaseSync, version: number): void {
	if (version < 4) {
		database.exec(beforeGroups);
	} else if (version < 8) {
		database.exec(beforeUsage);
	} else if (version < 10) {
		database.exec(beforeLogins);
	} else if (version < 13) {
		database.exec(beforeConversations);
	} else if (version < 15) {
		database.exec(beforeDrops);
	}

	if (version < 5) {
		database.exec(beforeApprovals);
	}

	if (version < 11) {
		database.exec(beforeKeys);
	}

	if (version < 12) {
		database.exec(beforeSessions);
	}
}
