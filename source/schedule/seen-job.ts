import type {JobView} from '../core/job.ts';
import type {JobKey} from '../store/job-port.ts';
import type {JobEntry} from './job.ts';
import type {Ticked} from './perform-tick.ts';
import type {WatchedProfile} from './watched-profiles.ts';

/** An entry of a profile's file. */
export type PlacedJob = {readonly watched: WatchedProfile; readonly entry: JobEntry};

/** A job after a look at it. */
export type SeenJob = PlacedJob &
	Ticked & {
		/** The same object as before while nothing differs. */
		readonly view: JobView;
	};

/** What a job is called among those of all profiles. */
export const nameOf = ({profile, id}: JobKey): string => `${profile} ${id}`;

export const jobKeyOf = ({watched: {profile}, entry}: PlacedJob): JobKey => ({
	profile,
	id: entry.job.id,
});

/** Where in a list each job is, by its name; of entries with one identifier the first, which alone can be used. */
export function placesOf(jobs: readonly PlacedJob[]): ReadonlyMap<string, number> {
	const places = new Map<string, number>();
	for (const [place, job] of jobs.entries()) {
		const name = nameOf(jobKeyOf(job));
		if (!places.has(name)) {
			places.set(name, place);
		}
	}

	return places;
}

/** When the first of them is due, milliseconds since 1970. */
export const firstDue = (jobs: readonly Ticked[]): number | undefined =>
	jobs.reduce<number | undefined>(
		(first, {until}) => (until === undefined ? first : Math.min(first ?? until, until)),
		undefined,
	);
