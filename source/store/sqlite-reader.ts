import {existsSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import type {OnBroken} from './broken-rows.ts';
import {createConversationReader} from './conversations.ts';
import {immutableDatabaseUrl} from './database-file.ts';
import {sqliteEngine} from './engine.ts';
import type {HistorySearching} from './history/port.ts';
import type {HistorySearch} from './history/search.ts';
import {createMemoSteps} from './memos.ts';
import {versionOf} from './migrations.ts';
import {emptyReader, readersOf, type StoreReader} from './reader-port.ts';
import {createRunLookup} from './run-reader.ts';
import {sessionSchema} from './session-schema.ts';
import {createSessionSearch} from './sessions.ts';
import {storeUnreadable} from './sqlite-errors.ts';

const busyTimeoutMs = 1000;

/**
 * Reads the store of a gateway that does not run. A missing or never filled file gives empty answers; nothing is created, changed or taken over.
 *
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

/** The first version with conversations on platforms. */
const firstWithWriters = 16;

function readerOf(
	parts: {readonly database: DatabaseSync; readonly onBroken: OnBroken},
	version: number,
): StoreReader {
	const {database, onBroken} = parts;
	const read = createRunLookup(database);
	const {runs, sessions, ...others} = readersOf(sqliteEngine(database, onBroken));
	return {
		...others,
		runs: {...runs, get: async id => read(id)},
		sessions: {...sessions, search: createSessionSearch(database, onBroken)},
		history: createSearching(parts),
		conversations:
			version < firstWithWriters
				? emptyReader.conversations
				: createConversationReader({database, memoSteps: createMemoSteps(parts)}),
		async [Symbol.asyncDispose]() {
			if (database.isOpen) {
				database.close();
			}
		},
	};
}

/** Searches in this thread: a command that reads the store without a gateway serves no requests meanwhile. Loaded with the first search. */
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
				// oxlint-disable-next-line no-await-in-loop -- each step continues where the last one ended
				const sums = await summing.step();
				if (sums) {
					return sums;
				}
			}
		},
	};
}

/** Columns of `run` that readers need, by the schema version that added them. */
const addedToRun: ReadonlyArray<readonly [since: number, column: string]> = [
	[4, '(select profile from main.delivery where id = old.delivery) as profile'],
	[4, 'null as grp'],
	[4, 'null as superseded'],
	[4, 'null as job'],
	[4, 'null as job_name'],
	[8, 'null as usage'],
	[10, 'null as awaits_logins'],
	[13, 'null as conversation'],
	[15, 'null as dropped'],
	[15, 'null as handed'],
];

/** Tables and their columns that readers need, by the schema version that added them. */
const addedTables: ReadonlyArray<readonly [since: number, table: string, columns: string]> = [
	[4, 'job_run', 'run event plan'],
	[
		4,
		'coalesce_group',
		'id profile route key first_at last_at quiet_at cap_at count latest target dispatched_at reason run',
	],
	[4, 'job', 'profile id next_at basis last_at last_run'],
	[5, 'approval', 'id settled_at data'],
	[5, 'approval_rule', 'id uses data'],
	[5, 'approval_tool', 'profile server tool definition args'],
	[11, 'api_key', 'seq id used requests input output data'],
	[11, 'api_key_use', 'key day requests input output'],
];

/** Tables that readers need and that versions before 12 lack. A view has no index, so these are temporary tables of the connection. */
const beforeSessions = sessionSchema.replaceAll(
	/create (table|virtual table|index|trigger) /g,
	'create $1 temp.',
);

/** Makes a file of an older version look current to readers: temporary views of the connection hide its tables. The file is not changed; it may be open read-only. */
function showAsCurrent(database: DatabaseSync, version: number): void {
	const isMissing = ([since]: readonly [since: number, ...rest: unknown[]]) => version < since;
	const columns = addedToRun.filter(isMissing).map(([, column]) => column);
	if (columns.length > 0) {
		database.exec(
			`create temp view run as select old.*, ${columns.join(', ')} from main.run as old`,
		);
	}

	for (const [, table, names] of addedTables.filter(isMissing)) {
		const nulls = names.split(' ').map(name => `null as ${name}`);
		database.exec(`create temp view ${table} as select ${nulls.join(', ')} where false`);
	}

	if (version < 12) {
		database.exec(beforeSessions);
	}
}
