import {setImmediate as turn} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import {dropOldest} from '../core/bounds.ts';
import type {Clock} from '../core/clock.ts';
import type {JobView} from '../core/job.ts';
import type {JobKey, JobRecord} from '../store/job-port.ts';
import type {Store} from '../store/port.ts';
import {createAttempts} from './fired-times.ts';
import type {JobSet} from './job-file.ts';
import {viewOfJob} from './job-view.ts';
import type {JobEntry} from './job.ts';
import {performTick, type JobMemory, type TickWorld, type Ticked} from './perform-tick.ts';
import type {WatchedProfile, WatchedProfiles} from './watched-profiles.ts';

/** Number of jobs that are processed at once: they share commits of the journal. */
const batchSize = 50;

/** Most removed jobs whose memory is kept. */
const maxKnown = 10_000;

type Moment = {readonly now: number; readonly steppedBack: boolean};

/** Makes sweeps over the jobs. A failing journal is logged once; failed work is due again at the next sweep. */
export function createJobSweep(
	given: Omit<TickWorld, 'jobs'> & {
		readonly clock: Clock;
		readonly jobs: Store['jobs'];
		readonly watched: WatchedProfiles;
	},
	{isClosed}: {readonly isClosed: () => boolean},
) {
	const {clock, jobs, watched, log, maxQueued, onFired} = given;
	const world: TickWorld = {jobs, log, maxQueued, onFired};
	/** Memory of the jobs of earlier sweeps, by name. */
	const known = new Map<string, JobMemory>();
	let seen: SeenJob[] = [];
	/** Index of each job in `seen`. */
	let places: ReadonlyMap<string, number> = new Map();
	/** The files as read by the last full sweep. */
	let files: ReadonlyMap<WatchedProfile, JobSet> = new Map();
	let lastSweepAt = Number.POSITIVE_INFINITY;
	const attempts = createAttempts(log);

	const seenBefore = (key: JobKey): SeenJob | undefined => seen[places.get(nameOf(key)) ?? -1];

	const tick = async (
		{watched: of, entry}: PlacedJob,
		record: JobRecord | undefined,
		{now, steppedBack}: Moment,
	): Promise<Ticked> => {
		if (!entry.ok) {
			return {record};
		}

		const {job} = entry;
		const name = nameOf({profile: of.profile, id: job.id});
		const before = known.get(name);
		const memory = before ?? {said: new Set()};
		const current = {
			watched: of,
			job,
			record,
			memory,
			now,
			isNew: !before,
			// A plan from before this process started may be based on another clock.
			steppedBack: steppedBack || !before,
		};
		const ticked = await attempts.attempt(async () => performTick(current, world));
		if (ticked) {
			known.set(name, memory);
		}

		return ticked ?? {record};
	};

	/** Calls `work` for each of `list`; yields to the event loop between batches. */
	const inBatches = async <T>(list: readonly T[], work: (one: T) => Promise<void>) => {
		for (let start = 0; start < list.length && !isClosed(); start += batchSize) {
			if (start > 0) {
				// oxlint-disable-next-line no-await-in-loop -- see above
				await turn();
			}

			// oxlint-disable-next-line no-await-in-loop -- one batch at a time
			await Promise.all(list.slice(start, start + batchSize).map(work));
		}
	};

	/** The job with its view at `now`. */
	const withView = ({watched: from, entry}: PlacedJob, ticked: Ticked, now: number): SeenJob => {
		const {profile} = from;
		const before = seenBefore({profile, id: entry.job.id})?.view;
		const planned = viewOfJob({profile, entry}, ticked.record, now);
		const dueAt = ticked.waits ? ticked.record?.nextAt : undefined;
		const view: JobView =
			dueAt === undefined ? planned : {...planned, state: 'active', nextAt: dueAt};
		return {
			...ticked,
			watched: from,
			entry,
			view: before && isDeepStrictEqual(before, view) ? before : view,
		};
	};

	const begin = (): Moment => {
		attempts.begin();
		const now = clock.now();
		return {now, steppedBack: now < lastSweepAt};
	};

	const end = async ({now}: Moment, {isWhole}: {readonly isWhole: boolean}) => {
		lastSweepAt = attempts.end() && isWhole ? now : lastSweepAt;
		for (const [{fired}, {entries, complete}] of files) {
			// oxlint-disable-next-line no-await-in-loop -- a few
			await fired.save(() => (complete ? new Set(entries.map(({job}) => job.id)) : undefined));
		}

		dropOldest(known, seen.length + maxKnown);
		return {views: seen.map(({view}) => view), until: firstDue(seen)};
	};

	const all = async () => {
		const moment = begin();
		const {now} = moment;
		const profiles = watched.refresh(now);
		files = new Map(profiles.map(profile => [profile, profile.reader.current()]));
		const listed = await attempts.attempt(async () => jobs.list());
		const records = new Map(listed?.map(record => [nameOf(record), record]));
		const entries = [...files].flatMap(([profile, set]) =>
			set.entries.map(entry => ({watched: profile, entry})),
		);
		const next: SeenJob[] = [];
		await inBatches([...entries.entries()], async ([place, job]) => {
			const key = jobKeyOf(job);
			next[place] = listed
				? withView(job, await tick(job, records.get(nameOf(key)), moment), now)
				: withView(job, {record: seenBefore(key)?.record}, now);
		});
		await inBatches(removedJobs(files, listed ?? []), async key => {
			await attempts.attempt(async () => jobs.forget(key));
		});

		seen = next;
		places = placesOf(next);
		return end(moment, {isWhole: true});
	};

	return {
		/** Sweeps all jobs, and removes deleted ones from the journal. */
		all,
		/** Sweeps the jobs of `keys` and those that are due; all jobs if a file has changed. */
		async some(keys: readonly JobKey[]) {
			if ([...files].some(([{reader}, set]) => reader.current() !== set)) {
				return all();
			}

			const moment = begin();
			const {now} = moment;
			const due = [...seen.keys()].filter(place => (seen[place]?.until ?? Infinity) <= now);
			const asked = keys.flatMap(key => places.get(nameOf(key)) ?? []);
			await inBatches([...new Set([...due, ...asked])], async place => {
				const job = seen[place];
				const found =
					job && (await attempts.attempt(async () => [await jobs.get(jobKeyOf(job))] as const));
				if (job) {
					// After a failure the job is processed again by the next full sweep.
					const ticked = found ? await tick(job, found[0], moment) : {record: job.record};
					seen[place] = withView(job, ticked, now);
				}
			});
			return end(moment, {isWhole: false});
		},
	};
}

/** Jobs in the journal that are no longer in the file of their profile. For a missing, blank or invalid file: none. */
const removedJobs = (
	files: ReadonlyMap<WatchedProfile, JobSet>,
	records: readonly JobRecord[],
): readonly JobKey[] =>
	[...files].flatMap(([{profile}, {entries, complete}]) => {
		const ids = new Set(entries.map(({job}) => job.id));
		return complete
			? records.filter(record => record.profile === profile && !ids.has(record.id))
			: [];
	});

/** An entry of the jobs file of a profile. */
type PlacedJob = {readonly watched: WatchedProfile; readonly entry: JobEntry};

/** The state of a job after a sweep. */
type SeenJob = PlacedJob &
	Ticked & {
		/** The same object as before if nothing changed. */
		readonly view: JobView;
	};

/** A unique name of a job across profiles. */
const nameOf = ({profile, id}: JobKey): string => `${profile} ${id}`;

const jobKeyOf = ({watched: {profile}, entry}: PlacedJob): JobKey => ({
	profile,
	id: entry.job.id,
});

/** The index of each job, by name. Of entries with one identifier the first counts: the others are invalid. */
function placesOf(jobs: readonly PlacedJob[]): ReadonlyMap<string, number> {
	const places = new Map<string, number>();
	for (const [place, job] of jobs.entries()) {
		const name = nameOf(jobKeyOf(job));
		if (!places.has(name)) {
			places.set(name, place);
		}
	}

	return places;
}

/** The earliest due time, milliseconds since 1970. */
const firstDue = (jobs: readonly Ticked[]): number | undefined =>
	jobs.reduce<number | undefined>(
		(first, {until}) => (until === undefined ? first : Math.min(first ?? until, until)),
		undefined,
	);
