import type {Clock} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import type {JobView} from '../core/job.ts';
import type {JobKey, JobRecord, Store} from '../store/port.ts';
import {viewOfJob} from './job-view.ts';
import type {JobEntry} from './job.ts';
import {performTick, type TickWorld, type Ticked} from './perform-tick.ts';
import type {WatchedProfile, WatchedProfiles} from './watched-profiles.ts';

/** Jobs that are worked on at a time: they share commits of the journal. */
const batchSize = 50;

/** Identifiers that are remembered beyond the jobs there are. */
const mostKnown = 10_000;

/** What one look found: the jobs after it, and when the first of them is due. */
export type Look = {readonly views: readonly JobView[]; readonly until: number | undefined};

type SeenJob = {readonly watched: WatchedProfile; readonly entry: JobEntry};

/**
 * One look at all jobs: plans what is new or was edited, fires what is due, forgets what was removed. A journal that fails is logged once; what could
 * not be done is due again at the next look. Never rejects. One look at a time.
 */
export function createLook({
	clock,
	jobs,
	watched,
	log,
	maxQueued,
	onFired,
}: Omit<TickWorld, 'said' | 'jobs'> & {
	readonly clock: Clock;
	readonly jobs: Store['jobs'];
	readonly watched: WatchedProfiles;
}): (options: {readonly isClosed: () => boolean}) => Promise<Look> {
	const world: TickWorld = {jobs, log, maxQueued, onFired, said: new Set()};
	const known = new Set<string>();
	let records: ReadonlyMap<string, JobRecord> = new Map();
	let lastLookAt = Number.POSITIVE_INFINITY;
	let failing = false;
	let saidFailing = false;

	const attempt = async <T>(action: () => Promise<T>): Promise<T | undefined> => {
		try {
			return await action();
		} catch (error) {
			if (!saidFailing) {
				log.error(`Cannot keep the schedule of jobs, tries again: ${messageOf(error)}`);
			}

			failing = true;
			saidFailing = true;
			return undefined;
		}
	};

	const tick = async (
		{watched: {profile, since, fired}, entry}: SeenJob,
		{now, steppedBack}: {readonly now: number; readonly steppedBack: boolean},
	): Promise<Ticked> => {
		const record = records.get(nameOf({profile, id: entry.job.id}));
		if (!entry.ok) {
			return {record};
		}

		const {job} = entry;
		const key = nameOf({profile, id: job.id});
		const isNew = !known.has(key);
		const current = {
			profile,
			job,
			record,
			now,
			watchedSince: since,
			isNew,
			// What was planned before this process began may have been planned by another clock.
			steppedBack: steppedBack || isNew,
			firedUntil: fired.of(job.id),
			onDone: (until: number) => {
				fired.note(job.id, until);
			},
		};
		const ticked = await attempt(async () => performTick(current, world));
		if (ticked) {
			known.add(key);
		}

		return ticked ?? {record};
	};

	return async ({isClosed}) => {
		const now = clock.now();
		const steppedBack = now < lastLookAt;
		const profiles = watched.refresh(now);
		const seen = profiles.flatMap(profile =>
			profile.reader.current().entries.map(entry => ({watched: profile, entry})),
		);

		failing = false;
		const listed = await attempt(async () => jobs.list());
		records = listed ? new Map(listed.map(record => [nameOf(record), record])) : records;
		const ticks: Ticked[] = [];
		const ticking = listed ? seen : [];
		for (let start = 0; start < ticking.length && !isClosed(); start += batchSize) {
			const some = ticking.slice(start, start + batchSize);
			// oxlint-disable-next-line no-await-in-loop -- one batch at a time
			ticks.push(...(await Promise.all(some.map(async job => tick(job, {now, steppedBack})))));
		}

		for (const {fired, reader} of profiles) {
			const {entries, complete} = reader.current();
			const ids = new Set(entries.map(({job}) => job.id));
			// oxlint-disable-next-line no-await-in-loop -- a few
			await fired.save(id => !complete || ids.has(id));
		}

		for (const key of removedJobs(profiles, listed ?? [])) {
			// oxlint-disable-next-line no-await-in-loop -- rare
			await attempt(async () => jobs.forget(key));
		}

		if (!failing) {
			lastLookAt = now;
			if (saidFailing) {
				saidFailing = false;
				log.info('The schedule of jobs is kept again');
			}
		}

		keepNewest(known, seen.length + mostKnown);
		return {
			until: ticks.reduce<number | undefined>(earlier, undefined),
			views: seen.map(({watched: {profile}, entry}, index) =>
				viewOfJob(
					{profile, entry},
					ticks[index]?.record ?? records.get(nameOf({profile, id: entry.job.id})),
					now,
				),
			),
		};
	};
}

const nameOf = ({profile, id}: JobKey): string => `${profile} ${id}`;

/** Jobs in the journal that are in no file any more. A file that is missing, blank or broken says nothing about that. */
function removedJobs(
	profiles: readonly WatchedProfile[],
	records: readonly JobRecord[],
): readonly JobKey[] {
	return profiles.flatMap(({profile, reader}) => {
		const {entries, complete} = reader.current();
		const ids = new Set(entries.map(({job}) => job.id));
		return complete
			? records.filter(record => record.profile === profile && !ids.has(record.id))
			: [];
	});
}

const earlier = (until: number | undefined, tick: Ticked): number | undefined =>
	Math.min(until ?? Number.POSITIVE_INFINITY, tick.until ?? Number.POSITIVE_INFINITY);

/** Drops what was added first. */
function keepNewest(names: Set<string>, most: number): void {
	for (const name of names) {
		if (names.size <= most) {
			return;
		}

		names.delete(name);
	}
}
