import type {Run, RunState, StoredRun} from '../../core/run.ts';
import {readRows} from '../broken-rows.ts';
import {integerOf, newestFirst, optional, pageOf, readJson, type Scan, textOf} from '../columns.ts';
import type {Runs} from '../port.ts';
import {entryOf, planColumn, runColumnsWith, runOf, runTables, storedRunOf} from '../run-reader.ts';
import {cursorOf, type TranscriptCursor} from '../transcripts.ts';
import {floorIn} from './ask.ts';
import type {Database, Statements} from './database.ts';

/** Rows that the first statement of a listing looks at, and at most any: a rare match needs a long look, and no statement is to take long. */
const stretchRows = {first: 10_000, most: 160_000} as const;

/** What the event of a run is about. */
export const runSubject =
	'case when run.conversation is null then delivery.subject else run.subject end';

/** Columns of a listing, for `runOf`; the tables are joined by `runTables`. */
export const runColumns = runColumnsWith(runSubject);

/** A whole run, and how far its transcript has come. */
export type ReadRun = {readonly run: StoredRun; readonly cursor: TranscriptCursor};

/** The whole runs of these numbers, those that there are, by their numbers: two statements. */
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
				const run = storedRunOf(row, own.map(entryOf));
				const cursor = cursorOf(own.length, bytes, integerOf(own.at(-1)?.['position']));
				return [[id, {run, cursor}] as const];
			} catch {
				// It takes none of the others along.
				return [];
			}
		}),
	);
}

/** The runs that are not ended, counted. */
export type OpenRuns = Pick<Awaited<ReturnType<Runs['waits']>>, 'waits' | 'oldestDueAt'> &
	Awaited<ReturnType<Runs['counts']>>;

/** Those that wait, by what they wait for at `now`, and those that are leased: two partial indexes. */
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

const toDecide: ReadonlySet<RunState> = new Set(['interrupted', 'uncertain', 'dead']);
const open: ReadonlySet<RunState> = new Set(['queued', 'running', 'delivering']);

/** As the partial index has it. */
const isToDecide = "run.state in ('interrupted', 'uncertain', 'dead')";

/** What an index of few rows has, when all `states` are among its own: those are found however old they are. */
function fewOf(states: readonly RunState[] | undefined): string | undefined {
	if (!states || states.length === 0) {
		return undefined;
	}

	if (states.every(state => toDecide.has(state))) {
		return isToDecide;
	}

	return states.every(state => open.has(state))
		? '(run.due_at is not null or (run.finished_at is null and run.due_at is null))'
		: undefined;
}

/** How many wait for a person. */
export const countToDecide = async ({query}: Statements): Promise<number> =>
	integerOf((await query(`select count(*) as count from run where ${isToDecide}`))[0]?.['count']);

/** Reads runs. */
export function createRunReader(
	database: Pick<Database, 'onBroken' | 'query'>,
): Pick<Runs, 'view' | 'list' | 'toDecide'> {
	const ofRuns = {table: 'run', onBroken: database.onBroken};
	return {
		async view(runId) {
			const [row] = await database.query(
				`select ${runColumns} from ${runTables} where run.id = $1`,
				[runId],
			);
			return row && runOf(row);
		},
		async list({states, profile, route, job, before = Number.MAX_SAFE_INTEGER, limit}) {
			const few = fewOf(states);
			const find: Scan<Run>['find'] = async ({floor, top, count}) =>
				readRows(
					await database.query(
						`select ${runColumns} from ${runTables}
						where run.id >= $1 and run.id < $2 and ($3::text is null or run.route = $3)
							and ($4::text[] is null or run.state = any($4)) and ($5::text is null or run.job = $5)
							and ($6::text is null or run.profile = $6) ${few === undefined ? '' : `and ${few}`}
						order by run.id desc limit $7`,
						[floor, top, route ?? null, states ?? null, job ?? null, profile ?? null, count],
					),
					runOf,
					ofRuns,
				);
			const most = pageOf(limit);
			return few === undefined
				? newestFirst(
						{floorOf: floorIn(database, 'run'), find},
						{before, limit: most, rows: stretchRows},
					)
				: find({floor: 0, top: before, count: most});
		},
		async toDecide(limit) {
			const rows = await database.query(
				`select ${runColumns} from ${runTables} where ${isToDecide} order by run.id desc limit $1`,
				[pageOf(limit)],
			);
			return readRows(rows, runOf, ofRuns);
		},
	};
}

/** A run that awaits logins at `now`. */
export type AwaitingRun = Pick<Run, 'id' | 'profile'> & {readonly awaitsLogins: readonly string[]};

/** Those that do, oldest first. */
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
