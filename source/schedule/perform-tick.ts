import type {Logger} from '../core/log.ts';
import type {JobRecord} from '../store/job-port.ts';
import type {Store} from '../store/port.ts';
import type {JobDefinition} from './job.ts';
import {planFor} from './job.ts';
import {planTick, type TickPlan} from './plan-tick.ts';
import type {WatchedProfile} from './watched-profiles.ts';

const staleMs = 1000;

/** Dependencies of a tick that are the same for all jobs. */
export type TickWorld = {
	readonly jobs: Pick<Store['jobs'], 'plan' | 'fire'>;
	readonly log: Logger;
	readonly maxQueued: () => number;
	readonly onFired: (runId: number) => void;
};

/** Facts about a job that are kept between sweeps. */
export type JobMemory = {
	/** Warnings logged since the job last fired. */
	readonly said: Set<'busy' | 'full'>;
	/** The due time that is delayed until a run of the job ends. */
	waiting?: number;
};

/** One job at one moment. */
type JobNow = {
	readonly watched: Pick<WatchedProfile, 'fired' | 'profile' | 'since'>;
	readonly job: JobDefinition;
	readonly record: JobRecord | undefined;
	readonly memory: JobMemory;
	readonly now: number;
	readonly isNew: boolean;
	readonly steppedBack: boolean;
};

/** The job's present record in the journal; `until`: when to look at the job again, `undefined`: it is not due at any time. */
export type Ticked = {
	readonly record: JobRecord | undefined;
	readonly until?: number;
	/** The job is due and waits until its open run ends. */
	readonly waits?: true;
};

/**
 * Executes the step that `planTick` returns for a job. A tick stays due if the queue is full, or if a run of the job is open and the tick is the job's last one or stands
 * for missed ones.
 *
 * @throws SvcError `journal_unavailable`
 */
export async function performTick(current: JobNow, world: TickWorld): Promise<Ticked> {
	const {watched, job} = current;
	const {profile, since: watchedSince} = watched;
	const key = {profile, id: job.id};
	const firedUntil = watched.fired.of(job.id);
	const decision = planTick(job, current.record, {...current, watchedSince, firedUntil});
	switch (decision.kind) {
		case 'rest':
			return {record: current.record};
		case 'wait':
			return {record: current.record, until: decision.until};
		case 'plan': {
			const {nextAt, basis} = decision;
			const {record} = current;
			if (!(await world.jobs.plan(key, {nextAt, basis}, {record}))) {
				return stale(current);
			}

			const isUnseen = current.record === undefined && firedUntil === undefined;
			if (nextAt === undefined && !job.paused && isUnseen) {
				world.log.warn(`Job "${job.name}" does not fire: its time was over when it was first seen`);
			}

			const before = current.record ?? {...key, basis, open: 0};
			const planned = {...withNext(before, nextAt), basis};
			return performTick({...current, record: planned, steppedBack: false}, world);
		}

		case 'skip':
			// A time that waited for a run of the job was not missed.
			return decision.dueAt === current.memory.waiting
				? fire(current, {...decision, missed: true}, world)
				: skip(current, decision, world);
		case 'fire':
			return fire(current, decision, world);
	}
}

type DueTick = Pick<TickPlan & {readonly kind: 'fire'}, 'dueAt' | 'nextAt' | 'missed'>;

async function skip(
	current: JobNow,
	{dueAt, nextAt}: Omit<DueTick, 'missed'>,
	{jobs, log}: TickWorld,
): Promise<Ticked> {
	const {watched, job, record} = current;
	const key = {profile: watched.profile, id: job.id};
	if (!(await jobs.plan(key, {nextAt, basis: job.basis}, {record}))) {
		return stale(current);
	}

	done(current);
	log.warn(
		`Job "${job.name}" missed its time and does not make up for it ("misfire": "skip")`,
		fieldsOf(job, dueAt),
	);
	return after(current, nextAt);
}

async function fire(
	current: JobNow,
	{dueAt, nextAt, missed}: DueTick,
	{jobs, log, maxQueued, onFired}: TickWorld,
): Promise<Ticked> {
	const {watched, job, now, memory} = current;
	const sayOnce = (what: 'busy' | 'full', message: string) => {
		if (!memory.said.has(what)) {
			memory.said.add(what);
			log.warn(message, fieldsOf(job, dueAt));
		}
	};

	const waits = missed || nextAt === undefined;
	const fired = await jobs.fire({
		job: {profile: watched.profile, id: job.id, name: job.name},
		plan: planFor(job),
		maxQueued: maxQueued(),
		tick: {dueAt, nextAt, waits},
	});
	switch (fired.kind) {
		case 'fired': {
			const {runId} = fired;
			log.info(
				missed && dueAt !== memory.waiting
					? `Job "${job.name}" fires once for the times it missed`
					: `Job "${job.name}" fires`,
				{...fieldsOf(job, dueAt), run: runId},
			);
			memory.said.clear();
			delete memory.waiting;
			done(current);
			onFired(runId);
			const {record, ...rest} = after(current, nextAt);
			const fact = record && {...record, lastAt: now, lastRunId: runId, open: record.open + 1};
			return {...rest, record: fact};
		}

		case 'busy':
			if (waits) {
				memory.waiting = dueAt;
				sayOnce('busy', `Job "${job.name}" is due and waits for the end of its run ${fired.runId}`);
				return {record: current.record, waits: true};
			}

			sayOnce(
				'busy',
				`Job "${job.name}" is not done with run ${fired.runId} when it is due again: that time is skipped`,
			);
			done(current);
			return after(current, nextAt);
		case 'full':
			sayOnce(
				'full',
				`Job "${job.name}" is due and waits for room: ${fired.queued} runs are queued`,
			);
			return {record: current.record};
		case 'stale':
			return stale(current);
	}
}

/** Notes that times of the job up to now have fired or are skipped. */
const done = ({watched, job, now}: JobNow): void => watched.fired.note(job.id, now);

/** Another gateway changed the plan in the journal; the next sweep reads it. */
const stale = ({record, now}: JobNow): Ticked => ({record, until: now + staleMs});

const fieldsOf = ({id}: JobDefinition, dueAt: number) => ({
	job: id,
	due: new Date(dueAt).toISOString(),
});

/** The result after `nextAt` was written. */
const after = ({record}: JobNow, nextAt: number | undefined): Ticked => ({
	record: record && withNext(record, nextAt),
	...(nextAt !== undefined && {until: nextAt}),
});

const withNext = ({nextAt: _before, ...record}: JobRecord, nextAt: number | undefined): JobRecord =>
	nextAt === undefined ? record : {...record, nextAt};
