import type {Config} from '../../config/config.ts';
import type {DraftSurroundings} from '../../config/route-edit/judge-draft.ts';
import {type Clock, dayOf} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {findCronJob} from '../jobs/find-cron-job.ts';

/** The surroundings in which a draft of a route is judged, including the jobs of the home. */
export const surroundingsOf = (
	{clock}: {readonly clock: Clock},
	{config, load}: {readonly config: Config; readonly load: DraftSurroundings['load']},
): DraftSurroundings => ({
	config,
	load,
	today: () => dayOf(clock.now()),
	problemWithJob(entry) {
		try {
			findCronJob({clock}, entry, config);
			return undefined;
		} catch (error) {
			return messageOf(error);
		}
	},
});
