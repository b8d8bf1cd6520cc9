import type {Config} from '../../../config/config.ts';
import {buildRouteTable} from '../../../config/route-table.ts';
import type {Route} from '../../../config/route.ts';
import {createSubscriptionsReader} from '../../../config/subscriptions.ts';
import {silentLogger} from '../../../core/log.ts';
import {createJobsReader} from '../../../schedule/job-file.ts';
import type {JobDefinition} from '../../../schedule/job.ts';
import type {Context} from '../../console/context.ts';

/** The routes that can be read now. */
export const routesOf = ({clock}: Context, config: Config): readonly Route[] => {
	const {paths} = config;
	const subscriptions = createSubscriptionsReader({paths, clock, log: silentLogger}).current();
	return [...buildRouteTable(config, subscriptions).routes.values()];
};

/** The jobs of all profiles that can be read now. */
export const jobsOf = (
	{clock}: Context,
	{profiles}: Config,
): ReadonlyArray<{readonly job: JobDefinition; readonly profile: string}> =>
	[profiles.of('default'), ...profiles.others].flatMap(({name: profile, paths}) =>
		createJobsReader({paths, clock, log: silentLogger})
			.current()
			.entries.flatMap(entry => (entry.ok ? [{job: entry.job, profile}] : [])),
	);
