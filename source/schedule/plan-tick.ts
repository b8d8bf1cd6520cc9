import type {JobRecord} from '../store/job-port.ts';
import type {JobDefinition} from './job.ts';
import {nextAfter} from './when.ts';

/** The next step for a job. Times are milliseconds since 1970. */
export type TickPlan =
	/** Nothing to do before `until`. */
	| {readonly kind: 'wait'; readonly until: number}
	/** Nothing to do at any time: the job is paused, or its only time is over. */
	| {readonly kind: 'rest'}
	/** Store this next time in the journal, then plan again. */
	| {readonly kind: 'plan'; readonly nextAt: number | undefined; readonly basis: string}
	/** `missed`: the run stands for all times since `dueAt`. */
	| {
			readonly kind: 'fire';
			readonly dueAt: number;
			readonly nextAt: number | undefined;
			readonly missed: boolean;
	  }
	/** `dueAt` and later times were missed, and the job does not make up for missed times. */
	| {readonly kind: 'skip'; readonly dueAt: number; readonly nextAt: number | undefined};

/** The basis of a paused job in the journal. It never equals that of a schedule, so that resuming plans again and makes up for no time of the pause. */
const pausedBasis = 'paused';

/** A tick later than this counts as missed: the machine slept, the clock was set, the journal could not be written. */
const graceMs = 60_000;

/** If the clock was set back by more than this, it was wrong before. */
const maxStepBackMs = 3 * 3_600_000;

/** Largest age of a new job whose times are counted from its creation. */
const maxCatchUpMs = 24 * 3_600_000;

/**
 * The next step for `job` at `now`, by its record in the journal. Pure. `watchedSince`: jobs were not watched earlier, so due times before it were missed. `isNew`: the job
 * was not looked at before. `steppedBack`: the clock may be behind the one by which the journal's time was computed. `firedUntil`: the job's times up to it are done,
 * including those fired by the gateway of another journal.
 *
 * Each time of day fires at most once: after the clock was set back by up to three hours, nothing fires until the clock passes the last firing again. An interval waits
 * like that for at most its own length, and then continues by the present clock.
 */
export function planTick(
	job: JobDefinition,
	record: JobRecord | undefined,
	options: {
		readonly now: number;
		readonly watchedSince: number;
		readonly isNew: boolean;
		readonly steppedBack: boolean;
		readonly firedUntil?: number | undefined;
	},
): TickPlan {
	const {now, watchedSince, isNew, steppedBack, firedUntil} = options;
	if (job.paused) {
		return record?.basis === pausedBasis
			? {kind: 'rest'}
			: {kind: 'plan', nextAt: undefined, basis: pausedBasis};
	}

	const {basis, schedule} = job;
	const fired = believable(firedUntil, {schedule, now});
	if (record?.basis !== basis) {
		const from = record === undefined && isNew ? (fired ?? firstSeenFrom(job, now)) : now;
		return {kind: 'plan', nextAt: nextAfter(schedule, from), basis};
	}

	const {nextAt: dueAt} = record;
	if (dueAt === undefined) {
		return {kind: 'rest'};
	}

	if (fired !== undefined && fired >= dueAt) {
		return {kind: 'plan', nextAt: nextAfter(schedule, fired), basis};
	}

	if (dueAt > now) {
		const lastAt = believable(record.lastAt, {schedule, now});
		const expected = steppedBack
			? nextAfter(schedule, Math.max(now, lastAt ?? now, fired ?? now))
			: undefined;
		return expected !== undefined && expected < dueAt
			? {kind: 'plan', nextAt: expected, basis}
			: {kind: 'wait', until: dueAt};
	}

	const nextAt = nextAfter(schedule, now);
	const missed = dueAt < watchedSince || now - dueAt > graceMs;
	return missed && job.misfire === 'skip'
		? {kind: 'skip', dueAt, nextAt}
		: {kind: 'fire', dueAt, nextAt, missed};
}

/**
 * When the job probably fires next, without changing its plan: the time in the journal, if it was computed for this schedule (a past time means at once), else the next
 * time after `now`. With `misfire: skip`, a past time counts as missed. `undefined`: it does not fire by its schedule.
 */
export function expectedNext(
	job: JobDefinition,
	record: JobRecord | undefined,
	now: number,
): number | undefined {
	if (job.paused) {
		return undefined;
	}

	if (record?.basis !== job.basis) {
		return nextAfter(job.schedule, now);
	}

	const {nextAt} = record;
	const isMissed = nextAt !== undefined && nextAt <= now && job.misfire === 'skip';
	return isMissed ? nextAfter(job.schedule, now) : nextAt;
}

/** The time from which a new job counts: its creation, if that was while no gateway ran. An older job may have been in another journal, and counts from now. */
const firstSeenFrom = ({createdAt}: JobDefinition, now: number): number =>
	createdAt !== undefined && createdAt < now && now - createdAt <= maxCatchUpMs ? createdAt : now;

/** The time of a firing; `undefined` if only a wrong clock explains it. A one-shot job has fired in any case. */
function believable(
	at: number | undefined,
	{schedule, now}: {readonly schedule: JobDefinition['schedule']; readonly now: number},
): number | undefined {
	const largest = schedule.kind === 'every' ? schedule.everyMs : maxStepBackMs;
	return at === undefined ||
		schedule.kind === 'once' ||
		at - now <= Math.min(largest, maxStepBackMs)
		? at
		: undefined;
}
