import type {Run, StoredRun} from '../../core/run.ts';
import {integerOf, optional, readJson, textOf} from '../columns.ts';
import type {Runs} from '../port.ts';
import {
	transcriptEntryOf,
	planColumn,
	runColumnsWith,
	runTables,
	storedRunOf,
} from '../run-reader.ts';
import {cursorOf, type TranscriptCursor} from '../transcripts.ts';
import {runSubject} from './ask.ts';
import type {Statements} from './database.ts';

/** Columns of a listing, for `runOf`; `runTables` joins the tables. */
export const runColumns = runColumnsWith(runSubject);

/** A whole run, and the position in its transcript. */
export type ReadRun = {readonly run: StoredRun; readonly cursor: TranscriptCursor};

/** Reads the existing runs with these numbers, by number: two statements. */
export async function readRuns(
	{query}: Pick<Statements, 'query'>,
	ids: readonly number[],
): Promise<ReadonlyMap<number, ReadRun>> {
	if (ids.length === 0) {
		return new Map();
	}

	const rows = await query(
		`select ${runColumns}, ${planColumn}, answer.rest from ${runTables} where run.id = any($1::bigint[])`,
		[ids],
	);
	const entries = Map.groupBy(
		await query(
			'select run, position, at, kind, bytes, text, data from transcript where run = any($1::bigint[]) order by run, position',
			[ids],
		),
		row => integerOf(row['run']),
	);
	return new Map(
		rows.flatMap(row => {
			const id = integerOf(row['id']);
			const own = entries.get(id) ?? [];
			const bytes = own.reduce((sum, entry) => sum + integerOf(entry['bytes']), 0);
			try {
				const run = storedRunOf(row, own.map(transcriptEntryOf));
				const cursor = cursorOf(own.length, bytes, integerOf(own.at(-1)?.['position']));
				return [[id, {run, cursor}] as const];
			} catch {
				// An unreadable row is skipped.
				return [];
			}
		}),
	);
}

/** Counts of unfinished runs. */
export type OpenRuns = Pick<Awaited<ReturnType<Runs['waits']>>, 'waits' | 'oldestDueAt'> &
	Awaited<ReturnType<Runs['counts']>>;

/** Counts waiting runs by what they wait for at `now`, and leased runs: by two partial indexes. */
export async function countOpen({query}: Statements, now: number): Promise<OpenRuns> {
	const [row = {}] = await query(
		`select count(*) filter (where queued) as queued, count(*) filter (where queued and ahead and awaits_logins is not null) as login,
			count(*) filter (where queued and ahead and awaits_logins is null and is_promised = 1) as promised,
			count(*) filter (where queued and ahead and awaits_logins is null and is_promised = 0 and is_retry = 1) as retry,
			count(*) filter (where not queued) as delivering, min(due_at) filter (where not ahead) as oldest,
			(select count(*) from run where finished_at is null and due_at is null) as leased
		from (select state = 'queued' as queued, due_at > $1 as ahead, awaits_logins, is_promised, is_retry, due_at from run where due_at is not null) as waiting`,
		[now],
	);
	const of = (name: string) => integerOf(row[name]);
	const waits = {rateLimit: of('promised'), login: of('login'), retry: of('retry')};
	return {
		queued: of('queued'),
		active: of('delivering') + of('leased'),
		waits: {worker: of('queued') - waits.rateLimit - waits.login - waits.retry, ...waits},
		...optional('oldestDueAt', row['oldest'] === null ? null : of('oldest')),
	};
}

/** A run that awaits logins at `now`. */
type AwaitingRun = Pick<Run, 'id' | 'profile'> & {readonly awaitsLogins: readonly string[]};

/** The runs that await logins, oldest first. */
export async function readAwaiting(
	{query}: Pick<Statements, 'query'>,
	now: number,
): Promise<readonly AwaitingRun[]> {
	const rows = await query(
		'select id, profile, awaits_logins from run where awaits_logins is not null and due_at > $1 order by id',
		[now],
	);
	return rows.map(row => ({
		id: integerOf(row['id']),
		profile: textOf(row['profile']),
		awaitsLogins: readJson<readonly string[]>(row['awaits_logins']) ?? [],
	}));
}
