import {originFacts} from '../../core/origin.ts';
import {integerOf, type Row} from '../columns.ts';
import type {Lease, Runs, Settlement} from '../port.ts';
import {awaitsLogin, droppedOf, handedOf, restartOf} from '../run-acts.ts';
import {partsOfAnswer} from '../transcripts.ts';
import {createBatch} from './batch.ts';
import type {Database, Transaction} from './database.ts';
import {laneOf} from './enqueue.ts';
import {readAwaiting} from './run-reader.ts';

/** Maximum number of renewals in one statement. */
const maxBeats = 256;

// Fencing: a run that waits, has ended or was leased again has another `due_at`, `finished_at` or `token`.
const fence = 'id = $1 and token = $2 and finished_at is null and due_at is null';
const released = 'lease_owner = null, lease_until = null';

type Step = Promise<boolean>;

/** Changes of runs, as single statements where possible. Each resolves with whether it changed something; a stale lease never does. */
type RunSteps = Pick<
	Runs,
	| 'beat'
	| 'markSideEffect'
	| 'markDeliveryStarted'
	| 'answer'
	| 'settle'
	| 'cancel'
	| 'drop'
	| 'handOver'
	| 'retry'
	| 'release'
> & {
	/** Resolves with the run's number of a new turn of a chat. */
	beginChat(chat: Parameters<Runs['beginChat']>[0], leaseMs: number): Promise<number>;
};

export function createRunSteps({
	database,
	clock,
	owner,
}: {
	readonly database: Database;
	/** The gateway's clock: its times are converted to delays from now. */
	readonly clock: {readonly now: () => number};
	readonly owner: string;
}): RunSteps {
	const {run} = database;
	const change = async (text: string, values: Parameters<Database['run']>[1]): Step =>
		(await run(text, values)) === 1;

	const beat = createBatch(
		async (beats: ReadonlyArray<{readonly lease: Lease; readonly leaseMs: number}>) => {
			const now = database.now();
			const rows = await database.query(
				// Rows are locked in the order of their numbers.
				`with held as (
					select run.id, beat.until from run join unnest($1::bigint[], $2::bigint[], $3::bigint[]) as beat (run, token, until) on run.id = beat.run and run.token = beat.token
					where finished_at is null and due_at is null order by run.id for no key update of run
				) update run set lease_until = held.until from held where run.id = held.id returning run.id, run.token`,
				[
					beats.map(({lease}) => lease.run.id),
					beats.map(({lease}) => lease.token),
					beats.map(({leaseMs}) => now + Math.ceil(leaseMs)),
				],
			);
			const held = new Map(rows.map(row => [integerOf(row['id']), integerOf(row['token'])]));
			return beats.map(({lease}) => held.get(lease.run.id) === lease.token);
		},
		{most: maxBeats, name: database.name},
	);

	/** Changes a waiting or ended run, depending on its row. */
	const decide = async (
		runId: number,
		apply: (row: Row, transaction: Transaction) => Promise<boolean>,
	): Step =>
		database.transact(async transaction => {
			const [row] = await transaction.query(
				`select state, finished_at, due_at, (delivery is null and job is null and conversation is null)::integer as chat, dropped, handed,
					(exists (select 1 from answer where run = run.id))::integer as answered from run where id = $1 for update of run`,
				[runId],
			);
			return row !== undefined && apply(row, transaction);
		});

	return {
		beat: async (lease, leaseMs) => beat({lease, leaseMs}),
		async beginChat({profile, origin, plan}, leaseMs) {
			const {chat, conversation} = originFacts(origin);
			const now = database.now();
			const [row] = await database.query(
				`with begun as (
					insert into run (profile, route, target, state, created_at, started_at, attempt, token, job_name, conversation, lane, lease_owner, lease_until, subject)
					values ($1, '-', $2, 'running', $3, $3, 1, 1, $4, $5, $6, $7, $8, $10) returning id
				) insert into job_run (run, event, plan) select id, 'chat', $9 from begun returning run`,
				[
					profile,
					plan.target.kind,
					now,
					chat?.key ?? null,
					conversation ? JSON.stringify(conversation) : null,
					laneOf(profile, '-', undefined),
					owner,
					now + Math.ceil(leaseMs),
					JSON.stringify(plan),
					plan.subject ?? null,
				],
			);
			return integerOf(row?.['run']);
		},
		markSideEffect: async ({run: {id}, token}) =>
			change(`update run set side_effect = 1 where ${fence}`, [id, token]),
		markDeliveryStarted: async ({run: {id}, token}, {isRepeatable}) =>
			change(
				`update run set delivery_attempt = delivery_attempt + 1, delivery_started = $3 where ${fence} and state = 'delivering'`,
				[id, token, isRepeatable ? 0 : 1],
			),
		async answer({run: {id}, token}, {text, model, toolCalls}) {
			const {preview, rest} = partsOfAnswer(text);
			return change(
				`with answered as (
					update run set state = 'delivering', model = $3, tool_calls = $4, lost_leases = 0 where ${fence} and state = 'running' returning id
				) insert into answer (run, preview, rest) select id, $5, $6 from answered
				on conflict (run) do update set preview = excluded.preview, rest = excluded.rest`,
				[id, token, model, toolCalls, preview, rest],
			);
		},
		settle: async (lease, settlement) => {
			const {
				sets,
				and = '',
				values,
			} = settling(settlement, {
				now: database.now(),
				waitMs: 'at' in settlement ? settlement.at - clock.now() : 0,
			});
			return change(`update run set ${sets}, ${released} where ${fence} ${and}`, [
				lease.run.id,
				lease.token,
				...values,
			]);
		},
		cancel: async runId =>
			change(
				`update run set state = 'cancelled', due_at = null, awaits_logins = null, finished_at = $2, error = null, ${released} where id = $1 and finished_at is null`,
				[runId, database.now()],
			),
		drop: async (runId, reason) =>
			decide(runId, async (row, {run: update, now}) => {
				const dropped = droppedOf(row, reason, now);
				// Keeps the run's results, the time it ended, and why.
				const sql = "update run set state = 'dropped', dropped = $2 where id = $1";
				return dropped !== undefined && (await update(sql, [runId, JSON.stringify(dropped)])) === 1;
			}),
		handOver: async (runId, target) =>
			decide(runId, async (row, {run: update, now}) => {
				const handed = handedOf(row, target);
				const sql = `update run set target = $4, handed = $5, ${restarted} where id = $1`;
				return (
					handed !== undefined &&
					(await update(sql, [runId, 'delivering', now, target.kind, JSON.stringify(handed)])) === 1
				);
			}),
		retry: async runId =>
			decide(runId, async (row, {run: update, now}) => {
				if (integerOf(row['due_at']) > now) {
					// A retry by a person does not wait for a login.
					await update(
						'update run set due_at = $2, login_wait = case when awaits_logins is null then login_wait else 0 end, awaits_logins = null where id = $1',
						[runId, now],
					);
					return true;
				}

				const state = restartOf(row);
				if (!state) {
					return false;
				}

				await update(`update run set ${restarted} where id = $1`, [runId, state, now]);
				if (state === 'queued') {
					await update('delete from answer where run = $1', [runId]);
				}

				return true;
			}),
		async release(server) {
			const isMeant = (one: Parameters<typeof awaitsLogin>[0]) => awaitsLogin(one, server);
			const meant = (await readAwaiting(database, database.now())).filter(isMeant);
			// Usually no run waits; then there is no write.
			if (meant.length === 0) {
				return [];
			}

			// The runs keep their position in the queue, which is by age.
			const rows = await database.transact(
				async ({query, now}) =>
					query(
						`update run set due_at = created_at, login_wait = due_at - $2, awaits_logins = null
						where id = any($1::bigint[]) and awaits_logins is not null and due_at > $2 returning id`,
						[meant.map(({id}) => id), now],
					),
				'lease',
			);
			return rows.map(row => integerOf(row['id'])).toSorted((a, b) => a - b);
		},
	};
}

/** SQL that resets a run: `$2` is its new state, `$3` the time. */
const restarted =
	'state = $2, due_at = $3, finished_at = null, started_at = null, error = null, side_effect = 0, delivery_started = 0, lost_leases = 0, login_wait = null, dropped = null, is_promised = 0, is_retry = 0';

/** A settlement as SQL with parameters from `$3` on. `now` and `waitMs`: times of the database, milliseconds. */
function settling(
	settlement: Settlement,
	{now, waitMs}: {readonly now: number; readonly waitMs: number},
): {
	readonly sets: string;
	readonly and?: string;
	readonly values: ReadonlyArray<string | number | null>;
} {
	if (settlement.state === 'awaits-logins') {
		const mostMs = Math.ceil(settlement.mostMs);
		return {
			sets: `state = 'queued', due_at = $3, awaits_logins = $4, login_wait = $5, error = null, attempt = greatest(0, attempt - 1),
				started_at = case when attempt > 1 then started_at end, is_promised = 0, is_retry = 0`,
			and: "and state = 'running'",
			values: [now + mostMs, JSON.stringify(settlement.servers), mostMs],
		};
	}

	if (settlement.state === 'retry') {
		return {
			sets: `state = case when state = 'running' then 'queued' else state end, due_at = $3, error = $4, delivery_started = 0, is_promised = 0, is_retry = (state = 'running')::integer`,
			values: [now + Math.ceil(waitMs), settlement.error],
		};
	}

	return {
		sets: 'state = $3, due_at = null, awaits_logins = null, finished_at = $4, error = $5, target = coalesce($6, target)',
		values: [
			settlement.state,
			now,
			'error' in settlement ? settlement.error : null,
			'target' in settlement ? (settlement.target ?? null) : null,
		],
	};
}
