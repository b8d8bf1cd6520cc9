import {integerOf, textOf, type Row} from '../columns.ts';
import {
	createLaneChoice,
	sharedTurn,
	type LaneChoice,
	type LanesAtOnce,
	type Taken,
	type WaitingLane,
} from '../lanes.ts';
import type {Lease, RouteLimit} from '../port.ts';
import {maxTurns} from '../rules.ts';
import {leaseOf} from '../run-reader.ts';
import {abandon, isLeased} from './abandon.ts';
import {columnsOf} from './ask.ts';
import type {Database, Statements, Transaction} from './database.ts';
import {readRuns, type ReadRun} from './run-reader.ts';

/** Maximum number of old turns deleted at once. */
const forgottenAtOnce = 256;

/** A new lease, and the position in its run's transcript. */
export type GivenLease = {readonly lease: Lease; readonly cursor: ReadRun['cursor']};

/** The parameters of `Runs.lease`. */
type LeaseRequest = {
	/** From 1 to 100. */
	readonly count: number;
	readonly leaseMs: number;
	readonly limits?: readonly RouteLimit[] | undefined;
	readonly owner: string;
	/** The runs of this owner, if it may have been given others without learning of it: those are released first. */
	readonly known?: readonly number[] | undefined;
};

/**
 * Leases runs, one member at a time: the transaction has three statements besides begin and commit, two if no run is due, and two more for expired leases. Only the lease
 * holder reads the leased runs afterwards. Runs cancelled by another transaction meanwhile are skipped: the lock protects limits and turns, the row protects the run.
 */
export async function leaseRuns(
	database: Database,
	asked: LeaseRequest,
): Promise<readonly GivenLease[]> {
	const marked = await database.transact(async transaction => {
		const {now} = transaction;
		if (asked.known) {
			await giveBack(transaction, asked.owner, asked.known);
		}

		const {lanes, isOverdue} = await readLanes(transaction, now);
		if (isOverdue) {
			await abandon(transaction, 'coalesce(lease_until, 0) <= $1', [now]);
		}

		const choice = choiceOf(isOverdue ? (await readLanes(transaction, now)).lanes : lanes, {
			now,
			limits: asked.limits,
		});
		const taken = await choose(transaction, choice, asked.count);
		return taken.length === 0 ? [] : mark(transaction, taken, asked);
	}, 'lease');
	const runs = await readRuns(database, marked.map(idOf));
	const unreadable = marked.filter(row => !runs.has(idOf(row)));
	if (unreadable.length > 0) {
		await failUnreadable(database, unreadable);
	}

	return marked.flatMap(row => {
		const read = runs.get(idOf(row));
		return read ? [{lease: leaseOf(read.run, row), cursor: read.cursor}] : [];
	});
}

/** Fails runs whose rows are unreadable: no worker could run them, and they would be leased again and again. */
const failUnreadable = async (database: Database, rows: readonly Row[]) =>
	database.run(
		`update run set state = 'failed', finished_at = $3, lease_owner = null, lease_until = null, error = 'Cannot read the row of this run: another program has changed it'
		from unnest($1::bigint[], $2::bigint[]) as leased (id, token) where run.id = leased.id and run.token = leased.token and finished_at is null and due_at is null`,
		[rows.map(idOf), rows.map(row => integerOf(row['token'])), database.now()],
	);

/**
 * Ends leases of runs that `owner` does not know of, without counting them as lost. A turn of the chat API is not released: either its caller learns of it, or its lease
 * expires.
 */
const giveBack = async ({run}: Transaction, owner: string, known: readonly number[]) =>
	run(
		`update run set lost_leases = lost_leases - 1, lease_until = 0
		where lease_owner = $1 and ${isLeased} and id <> all($2::bigint[]) and (route <> '-' or job is not null)`,
		[owner, known],
	);

const idOf = (row: Row): number => integerOf(row['id']);

/** The run that is due next, and in how many milliseconds the first lease expires. Two statements. */
export async function findNext(
	database: Database,
	limits: readonly RouteLimit[] | undefined,
): Promise<{readonly next: ReturnType<LaneChoice['next']>; readonly expiryMs: number | undefined}> {
	const now = database.now();
	const {lanes, until} = await readLanes(database, now);
	return {
		next: choiceOf(lanes, {now, limits}).next(),
		expiryMs: until === undefined ? undefined : Math.max(0, until - now),
	};
}

const choiceOf = (
	lanes: LanesAtOnce,
	{now, limits}: {readonly now: number; readonly limits: LeaseRequest['limits']},
): LaneChoice =>
	createLaneChoice(lanes, {
		limits,
		waitMs: row => Math.max(0, integerOf(row['due_at']) - now),
	});

/** Reads the lanes with the first run of each; `until` is when the first lease expires. */
async function readLanes(
	{query}: Pick<Statements, 'query'>,
	now: number,
): Promise<{
	readonly lanes: LanesAtOnce;
	readonly isOverdue: boolean;
	readonly until: number | undefined;
}> {
	const leased = await query(
		`select lane, count(*) as leased, min(coalesce(lease_until, 0)) as until from run where ${isLeased} group by lane`,
	);
	// A loose index scan: one step for each lane, however many runs it has.
	const heads = await query(
		`with recursive waiting (lane) as (
			(select lane from run where due_at is not null order by lane limit 1)
			union all
			select (select run.lane from run where due_at is not null and run.lane > waiting.lane order by run.lane limit 1) from waiting where waiting.lane is not null
		)
		select head.*, lane_turn.turn, (select max(turn) from lane_turn) as last_turn
		from waiting cross join lateral (
			select id, due_at, run.lane from run where due_at is not null and run.lane = waiting.lane order by due_at, id limit 1
		) as head left join lane_turn on lane_turn.lane = waiting.lane`,
	);
	const untils = leased.map(row => integerOf(row['until']));
	const until = untils.length === 0 ? undefined : Math.min(...untils);
	return {
		lanes: {
			waiting: await waitingLanes({query}, heads),
			leased: leased.map(row => ({name: textOf(row['lane']), leased: integerOf(row['leased'])})),
			lastTurn: integerOf(heads[0]?.['last_turn']),
		},
		isOverdue: until !== undefined && until <= now,
		until,
	};
}

/** For a conversation, takes its oldest run, and the turn that all threads of the chat share. */
async function waitingLanes(
	{query}: Pick<Statements, 'query'>,
	heads: readonly Row[],
): Promise<readonly WaitingLane[]> {
	const sharing = heads.flatMap(head => {
		const lane = textOf(head['lane']);
		const shared = sharedTurn(lane);
		return shared === undefined ? [] : [{lane, shared}];
	});
	const oldest = new Map<string, Row>();
	if (sharing.length > 0) {
		const rows = await query(
			`select distinct on (run.lane) run.id, run.due_at, run.lane, lane_turn.turn
			from unnest($1::text[], $2::text[]) as asked (lane, shared) join run on run.lane = asked.lane and run.due_at is not null
			left join lane_turn on lane_turn.lane = asked.shared order by run.lane, run.id`,
			columnsOf(sharing, 'lane', 'shared'),
		);
		for (const row of rows) {
			oldest.set(textOf(row['lane']), row);
		}
	}

	return heads.map(head => {
		const name = textOf(head['lane']);
		const row = oldest.get(name) ?? head;
		return {name, heads: [row], hasMore: row === head, turn: integerOf(row['turn'])};
	});
}

/** Chooses up to `count` runs. Reads each lane at most once more, with as many runs as might be needed. */
async function choose(
	{query}: Transaction,
	choice: LaneChoice,
	count: number,
): Promise<readonly Taken[]> {
	const taken: Taken[] = [];
	while (taken.length < count) {
		const unknown = choice.unknown();
		if (unknown.length > 0) {
			const known = new Set(taken.map(({head}) => idOf(head)));
			// oxlint-disable-next-line no-await-in-loop -- the next choice depends on it
			const rows = await query(
				`select head.* from unnest($1::text[]) as asked (lane) cross join lateral (
					select id, due_at, run.lane from run where due_at is not null and run.lane = asked.lane order by due_at, id limit $2
				) as head`,
				[unknown, count],
			);
			const heads = Map.groupBy(
				rows.filter(row => !known.has(idOf(row))),
				row => textOf(row['lane']),
			);
			for (const lane of unknown) {
				choice.learn(lane, heads.get(lane) ?? []);
			}

			continue;
		}

		const next = choice.take();
		if (!next) {
			break;
		}

		taken.push(next);
	}

	return taken;
}

/** Writes leases and turns; resolves with rows of `id, state, token, login_wait` in the order of their turns. */
async function mark(
	{query, run, now}: Transaction,
	taken: readonly Taken[],
	{leaseMs, owner}: LeaseRequest,
): Promise<readonly Row[]> {
	// Of two turns of a lane the later one counts.
	const turns = new Map(taken.map(({turnOf, turn}) => [turnOf, turn]));
	const ids = taken.map(({head}) => idOf(head));
	const rows = await query(
		// A due run that still awaits a login has used up its wait.
		`with turns as (
			insert into lane_turn (lane, turn) select * from unnest($5::text[], $6::bigint[]) on conflict (lane) do update set turn = excluded.turn
		)
		update run set state = case when state = 'queued' then 'running' else state end, attempt = attempt + (state = 'queued')::integer, token = token + 1,
			started_at = coalesce(started_at, $2), due_at = null, lease_owner = $3, lease_until = $4,
			login_wait = case when awaits_logins is null then login_wait else 0 end, awaits_logins = null
		where id = any($1::bigint[]) and due_at <= $2 returning id, state, token, login_wait`,
		[ids, now, owner, now + Math.ceil(leaseMs), [...turns.keys()], [...turns.values()]],
	);
	const last = taken.at(-1)?.turn ?? 0;
	if (last % forgottenAtOnce < taken.length) {
		await run('delete from lane_turn where turn <= $1', [last - maxTurns]);
	}

	return rows.toSorted((a, b) => ids.indexOf(idOf(a)) - ids.indexOf(idOf(b)));
}
