import type {RunPlan} from '../core/run.ts';
import {integerOf, nullableInteger, optional, textOf, type Row} from './columns.ts';
import type {NewRun} from './due-queue.ts';
import type {Engine} from './engine.ts';
import type {Fired, JobKey, JobRecord, Jobs} from './job-port.ts';
import type {StoreParts} from './parts.ts';

/** `Jobs` on SQLite. */
export const createJobs = ({engine, clock, commit, jobSteps: steps}: StoreParts): Jobs => ({
	...createJobReader(engine),
	plan: async (job, next, seen) => commit.write(() => steps.plan(job, next, seen)),
	fire: async entry => commit.write(() => steps.fire(entry, clock.now())),
	async forget(job) {
		await commit.write(() => steps.forget(job));
	},
});

/** The argument of `fire`. */
export type Firing = Parameters<Jobs['fire']>[0];

/** The run of a job that was not fired by a route. */
export const runOfJob = (job: Firing['job'], {target}: RunPlan, now: number): NewRun => ({
	delivery: null,
	profile: job.profile,
	route: '-',
	target: target.kind,
	createdAt: now,
	dueAt: now,
	job,
});

export type JobSteps = ReturnType<typeof createJobSteps>;

/** Changes of jobs, inside a transaction. `now` is milliseconds since 1970. */
export function createJobSteps({
	database,
	enqueue,
	pool,
}: Pick<StoreParts, 'database' | 'enqueue' | 'pool'>) {
	const open = 'from run where job = ? and profile = ? and finished_at is null';
	const countQueued = database.prepare(`select count(*) as runs ${open} and state = 'queued'`);
	const firstOpen = database.prepare(`select min(id) as id ${open}`);
	const find = database.prepare('select next_at, basis from job where profile = ? and id = ?');
	const setNext = database.prepare('update job set next_at = ? where profile = ? and id = ?');
	const setLast = database.prepare(
		`insert into job (profile, id, basis, last_at, last_run) values (?, ?, '', ?, ?)
		on conflict do update set last_at = excluded.last_at, last_run = excluded.last_run`,
	);
	const plan = database.prepare(
		`insert into job (profile, id, next_at, basis) values (?, ?, ?, ?)
		on conflict do update set next_at = excluded.next_at, basis = excluded.basis`,
	);
	const insertPlan = database.prepare('insert into job_run (run, event, plan) values (?, ?, ?)');
	const forget = database.prepare('delete from job where profile = ? and id = ?');

	const moveOn = ({profile, id}: JobKey, nextAt: number | undefined) =>
		setNext.run(nextAt ?? null, profile, id);

	/** Records that the job fired. */
	const fired = ({profile, id}: JobKey, runId: number, now: number) =>
		setLast.run(profile, id, now, runId);

	const begin = ({job, plan: runPlan, tick}: Firing, now: number): Fired => {
		const runId = enqueue(runOfJob(job, runPlan, now));
		insertPlan.run(runId, tick ? 'schedule' : 'person', JSON.stringify(runPlan));
		fired(job, runId, now);
		return {kind: 'fired', runId};
	};

	return {
		/** Number of the job's runs that wait for the agent. */
		queued: ({profile, id}: JobKey): number => integerOf(countQueued.get(id, profile)?.['runs']),
		fired,
		plan(...[{profile, id}, {nextAt, basis}, seen]: Parameters<Jobs['plan']>): boolean {
			const row = seen && find.get(profile, id);
			const before = optional('nextAt', nullableInteger(row?.['next_at']));
			if (
				seen &&
				(before.nextAt !== seen.record?.nextAt || row?.['basis'] !== seen.record?.basis)
			) {
				return false;
			}

			plan.run(profile, id, nextAt ?? null, basis);
			return true;
		},
		fire(entry: Firing, now: number): Fired {
			const {job, maxQueued, tick} = entry;
			if (tick && nullableInteger(find.get(job.profile, job.id)?.['next_at']) !== tick.dueAt) {
				return {kind: 'stale'};
			}

			const busy = tick && nullableInteger(firstOpen.get(job.id, job.profile)?.['id']);
			if (tick && busy) {
				if (!tick.waits) {
					moveOn(job, tick.nextAt);
				}

				return {kind: 'busy', runId: busy};
			}

			const queued = pool.queued();
			if (queued >= maxQueued) {
				return {kind: 'full', queued};
			}

			if (tick) {
				moveOn(job, tick.nextAt);
			}

			return begin(entry, now);
		},
		forget: ({profile, id}: JobKey) => forget.run(profile, id),
	};
}

/** Columns of a job, including the number of its unfinished runs. */
const jobColumns = `profile, id, next_at, basis, last_at, last_run,
	(select count(*) from run where run.job = job.id and run.profile = job.profile and finished_at is null) as open`;

/** Reads jobs; needs no write access. */
export function createJobReader({prepare}: Engine): Pick<Jobs, 'list' | 'get'> {
	const all = prepare(`select ${jobColumns} from job order by profile, id`);
	const one = prepare(`select ${jobColumns} from job where profile = $1 and id = $2`);
	return {
		list: async () => (await all()).map(jobRecordOf),
		async get({profile, id}) {
			const [row] = await one(profile, id);
			return row && jobRecordOf(row);
		},
	};
}

/** Parses a row of `jobColumns`. */
const jobRecordOf = (row: Row): JobRecord => ({
	profile: textOf(row['profile']),
	id: textOf(row['id']),
	basis: textOf(row['basis']),
	open: integerOf(row['open']),
	...optional('nextAt', nullableInteger(row['next_at'])),
	...optional('lastAt', nullableInteger(row['last_at'])),
	...optional('lastRunId', nullableInteger(row['last_run'])),
});
