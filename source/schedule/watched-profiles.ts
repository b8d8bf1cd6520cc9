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
	/** Since when its jobs are looked at, milliseconds since 1970; goes back with the clock. */
	since: number;
};

export type WatchedProfiles = ReturnType<typeof createWatchedProfiles>;

/** A file of jobs that cannot be used. `isUnread`: it never could be, so that no job of it fires; else those of its last good version do. */
export type BrokenJobs = {
	readonly profile: string;
	readonly problem: string;
	readonly isUnread: boolean;
};

/** The profiles of a scheduler, each with the reader of its jobs. */
export function createWatchedProfiles(
	world: Pick<World, 'clock' | 'log'> & {
		readonly profiles: () => readonly ScheduledProfile[];
	},
) {
	const {clock, profiles, log} = world;
	let watched = new Map<string, WatchedProfile>();
	return {
		/** Asks which profiles there are at `now`; those that were there before keep their readers and facts. */
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
		/** Files of jobs that cannot be used as they are now. */
		brokenFiles: (): readonly BrokenJobs[] =>
			[...watched.values()].flatMap(({profile, reader}) => {
				const {problem, isUnread = false} = reader.current();
				return problem === undefined ? [] : [{profile, problem, isUnread}];
			}),
	};
}
