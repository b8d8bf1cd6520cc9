import type {JobRecord} from '../store/job-port.ts';
import type {JobDefinition} from './job.ts';
import {nextAfter} from './when.ts';

/** The next step for a job. Times are milliseconds since 1970. */
export type TickPlan =
	/** Nothing before `until`. */
	| {readonly kind: 'wait'; readonly until: number}
	/** Nothing at all: it is paused, or its one time is over. */
	| {readonly kind: 'rest'}
	/** The journal must know another next time; then ask again. */
	| {readonly kind: 'plan'; readonly nextAt: number | undefined; readonly basis: string}
	/** `missed`: it stands for every time since `dueAt`. */
	| {
			readonly kind: 'fire';
			readonly dueAt: number;
			readonly nextAt: number | undefined;
			readonly missed: boolean;
	  }
	/** `dueAt` and the times after it passed while nothing could fire, and the job does not make up for them. */
	| {readonly kind: 'skip'; readonly dueAt: number; readonly nextAt: number | undefined};

/** The basis of a paused job in the journal. Resuming plans anew, so that no time of the pause is made up for. */
const pausedBasis = 'paused';

/** A tick later than this was missed: the machine slept, the clock was set, the journal could not be written. */
const graceMs = 60_000;

/** A clock that was set back by more than this was wrong before. */
const maxStepBackMs = 3 * 3_600_000;

/** How long before it was first seen a new job may have missed its time. */
const maxCatchUpMs = 24 * 3_600_000;

/**
 * The next step for `job` at `now`, by its record in the journal. Pure. `watchedSince`: jobs were not watched before, so times due before it were missed.
 * `isNew`: this is the first look at it. `steppedBack`: the clock may show less than when the journal's time was computed. `firedUntil`: its times up to then are
 * done with, also those that the gateway of another journal fired.
 *
 * Each time of day fires at most once: after the clock went back up to three hours, nothing fires until it is again where it last fired. An interval
 * waits like that for no longer than itself: then it goes on from the clock that is there.
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
 * When the job fires next as far as can be told without planning anything: what the journal waits for (be it over: then at once), else the next time from
 * `now`. `undefined`: not by its schedule.
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

/** A job that was added while no gateway ran counts from then; one that comes from longer ago may have had another journal. */
const firstSeenFrom = ({createdAt}: JobDefinition, now: number): number =>
	createdAt !== undefined && createdAt < now && now - createdAt <= maxCatchUpMs ? createdAt : now;

/** The time of a firing, unless only a wrong clock can explain it. A single time is over in any case. */
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
