import type {HomePaths} from '../config/config.ts';
import type {World} from '../core/world.ts';
import {createFiredTimes, type FiredTimes} from './fired-times.ts';
import {createJobsReader, type JobsReader} from './job-file.ts';

/** A profile whose jobs this gateway fires. `profile`: `default` for its own. */
export type ScheduledProfile = {
	readonly profile: string;
	readonly paths: Pick<HomePaths, 'cron' | 'run' | 'shared'>;
};

export type WatchedProfile = ScheduledProfile & {
	readonly reader: JobsReader;
	readonly fired: FiredTimes;
	/** When watching of its jobs began, milliseconds since 1970; moves back with the clock. */
	since: number;
};

export type WatchedProfiles = ReturnType<typeof createWatchedProfiles>;

/** A jobs file that cannot be used. `isUnread`: it was never read, so that none of its jobs fires; otherwise those of its last good version fire. */
export type BrokenJobs = {
	readonly profile: string;
	readonly problem: string;
	readonly isUnread: boolean;
};

/** The profiles of a scheduler, each with a reader of its jobs. */
export function createWatchedProfiles(
	world: Pick<World, 'clock' | 'log'> & {
		readonly profiles: () => readonly ScheduledProfile[];
	},
) {
	const {clock, profiles, log} = world;
	let watched = new Map<string, WatchedProfile>();
	return {
		/** Updates the list of profiles at `now`; known profiles keep their reader and fired times. */
		refresh(now: number): readonly WatchedProfile[] {
			watched = new Map(
				profiles().map(({profile, paths}) => {
					const before = watched.get(profile);
					return [
						profile,
						{
							profile,
							paths,
							reader: before?.reader ?? createJobsReader({paths, clock, log}),
							fired: before?.fired ?? createFiredTimes({paths, log}),
							since: Math.min(before?.since ?? now, now),
						},
					];
				}),
			);
			return [...watched.values()];
		},
		get: (profile: string) => watched.get(profile),
		/** Jobs files that cannot be used at present. */
		brokenFiles: (): readonly BrokenJobs[] =>
			[...watched.values()].flatMap(({profile, reader}) => {
				const {problem, isUnread = false} = reader.current();
				return problem === undefined ? [] : [{profile, problem, isUnread}];
			}),
	};
}
