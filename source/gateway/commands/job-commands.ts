import type {jobs as table} from '../contract/jobs.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for scheduled jobs of a gateway in this process. */
export const createJobCommands = (
	rooms: () => Promise<Pick<Rooms, 'jobs'>>,
): CommandsOf<typeof table> => ({
	listJobs: async () => (await rooms()).jobs.views(),
	runJob: async (job, options) => (await rooms()).jobs.runNow(job, options),
	setJobPaused: async (job, options) => (await rooms()).jobs.setPaused(job, options),
});
