import {createMutex} from '../../core/mutex.ts';
import {integerOf, nullableInteger} from '../columns.ts';
import type {Fired, JobKey, Jobs} from '../job-port.ts';
import {createJobReader, type Firing, runOfJob} from '../jobs.ts';
import {columnsOf} from './ask.ts';
import type {Transaction} from './database.ts';
import {enqueue} from './enqueue.ts';
import type {PostgresParts} from './parts.ts';
import type {WaitingReader} from './waiting.ts';

/** How far the wall clocks of members may be ahead of the database's, milliseconds. */
const tolerableMs = 60_000;

/** `Jobs` on PostgreSQL. */
export function createJobs({database, queued, readWaiting}: PostgresParts): Jobs {
	// Serialises calls in order: members wait for each other as well.
	const inTurn = createMutex();

	return {
		...createJobReader(database),
		async plan({profile, id}, {nextAt, basis}, seen) {
			const planned = [profile, id, nextAt ?? null, basis];
			const record = seen?.record;
			if (record) {
				const changed = await database.run(
					`update job set next_at = $3, basis = $4 where profile = $1 and id = $2 and next_at is not distinct from $5 and basis = $6`,
					[...planned, record.nextAt ?? null, record.basis],
				);
				return changed === 1;
			}

			const added = await database.run(
				`insert into job (profile, id, next_at, basis) values ($1, $2, $3, $4)
				on conflict (profile, id) do ${seen ? 'nothing' : 'update set next_at = excluded.next_at, basis = excluded.basis'}`,
				planned,
			);
			return added === 1;
		},
		async fire(entry) {
			const fired = await inTurn(async () =>
				database.transact(async transaction => fire(transaction, entry, readWaiting), 'accept'),
			);
			if (fired.kind === 'fired') {
				queued.tell();
			}

			return fired;
		},
		async forget({profile, id}) {
			await database.run('delete from job where profile = $1 and id = $2', [profile, id]);
		},
	};
}

async function fire(
	transaction: Transaction,
	entry: Firing,
	readWaiting: WaitingReader,
): Promise<Fired> {
	const {query, run, now} = transaction;
	const {job, plan, maxQueued, tick} = entry;
	const {profile, id} = job;
	const moveOn = async () =>
		tick &&
		run('update job set next_at = $3 where profile = $1 and id = $2', [
			profile,
			id,
			tick.nextAt ?? null,
		]);

	if (tick) {
		const [row] = await query(
			`select next_at, (select min(run.id) from run where run.job = job.id and run.profile = job.profile and finished_at is null) as open
			from job where profile = $1 and id = $2 for update`,
			[profile, id],
		);
		// A job must not fire just because a member's wall clock is ahead.
		if (nullableInteger(row?.['next_at']) !== tick.dueAt || tick.dueAt > now + tolerableMs) {
			return {kind: 'stale'};
		}

		const busy = nullableInteger(row?.['open']);
		if (busy !== null) {
			await (tick.waits || moveOn());
			return {kind: 'busy', runId: busy};
		}
	}

	const waiting = (await readWaiting(transaction, [maxQueued])).queued();
	if (waiting >= maxQueued) {
		return {kind: 'full', queued: waiting};
	}

	await moveOn();
	const [runId = 0] = await enqueue(transaction, [runOfJob(job, plan, now)]);
	await run('insert into job_run (run, event, plan) values ($1, $2, $3)', [
		runId,
		tick ? 'schedule' : 'person',
		JSON.stringify(plan),
	]);
	await noteFired(transaction, [{profile, id, run: runId}]);
	return {kind: 'fired', runId};
}

/** Records the last run of each job; of several runs of one job the last one counts. */
export async function noteFired(
	{run, now}: Transaction,
	fired: ReadonlyArray<JobKey & {readonly run: number}>,
): Promise<void> {
	if (fired.length === 0) {
		return;
	}

	const last = [...new Map(fired.map(one => [nameOfJob(one), one])).values()];
	await run(
		`insert into job (profile, id, basis, last_at, last_run) select profile, id, '', $1, run from unnest($2::text[], $3::text[], $4::bigint[]) as fired (profile, id, run)
		on conflict (profile, id) do update set last_at = excluded.last_at, last_run = excluded.last_run`,
		[now, ...columnsOf(last, 'profile', 'id', 'run')],
	);
}

export type QueuedOfJobs = Awaited<ReturnType<typeof readQueuedOfJobs>>;

/** Counts the runs of these jobs that wait for the agent. */
export async function readQueuedOfJobs({query}: Transaction, jobs: readonly JobKey[]) {
	const counts = new Map<string, number>();
	const wanted = [...new Map(jobs.map(job => [nameOfJob(job), job])).values()];
	const rows =
		wanted.length === 0
			? []
			: await query(
					`select place, (select count(*) from run where run.job = wanted.id and run.profile = wanted.profile and finished_at is null and state = 'queued') as queued
					from unnest($1::text[], $2::text[]) with ordinality as wanted (profile, id, place)`,
					columnsOf(wanted, 'profile', 'id'),
				);
	for (const row of rows) {
		const job = wanted[integerOf(row['place']) - 1];
		if (job) {
			counts.set(nameOfJob(job), integerOf(row['queued']));
		}
	}

	return {
		queued: (job: JobKey) => counts.get(nameOfJob(job)) ?? 0,
		/** Counts one more run that is about to be written. */
		add: (job: JobKey) => counts.set(nameOfJob(job), (counts.get(nameOfJob(job)) ?? 0) + 1),
	};
}

const nameOfJob = ({profile, id}: JobKey): string => `${profile}\0${id}`;
