import type {Config} from '../../../config/config.ts';
import type {Route} from '../../../config/route.ts';
import type {JobDefinition} from '../../../schedule/job.ts';
import type {Context} from '../../console/context.ts';
import {readRoutes, readJobFiles} from '../../home/receiver-facts.ts';

/** All readable routes. */
export const routesOf = (context: Context, config: Config): readonly Route[] => [
	...readRoutes(context, config).routes.values(),
];

/** The readable jobs of all profiles. */
export const jobsOf = (
	context: Context,
	config: Config,
): ReadonlyArray<{readonly job: JobDefinition; readonly profile: string}> =>
	readJobFiles(context, config).flatMap(({entries, profile}) =>
		entries.flatMap(entry => (entry.ok ? [{job: entry.job, profile}] : [])),
	);
