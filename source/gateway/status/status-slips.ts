import type {Config, RouteTable} from '../../config/config.ts';
import type {KeyPath} from '../../config/plain-data.ts';
import {maxProblems} from '../../config/yaml-source.ts';
import type {JobView} from '../../core/job.ts';
import {cell} from '../../core/untrusted.ts';
import type {FoundJob} from '../../schedule/find-job.ts';
import type {BrokenJobs} from '../../schedule/watched-profiles.ts';
import {firesNothing} from '../jobs/find-cron-job.ts';
import type {StatusSlip} from '../port.ts';

/** By the section that an entry stands in. */
const kinds: ReadonlyMap<KeyPath[number], StatusSlip['kind']> = new Map([
	['mcp_servers', 'server'],
	['platforms', 'platform'],
]);

/** Everything that cannot be used as it is written, at most 100, sections first. Pure. */
export function statusSlips({
	config: {slips},
	table: {routes, slipped, broken},
	jobs,
	findJob,
	brokenJobs,
}: {
	readonly config: Pick<Config, 'slips'>;
	readonly table: Pick<RouteTable, 'routes' | 'slipped' | 'broken'>;
	readonly jobs: readonly JobView[];
	/** What the `cron_job` of a route leads to. */
	readonly findJob: (reference: string, profile: string) => FoundJob;
	readonly brokenJobs: readonly BrokenJobs[];
}): readonly StatusSlip[] {
	return [
		...[...slips.values()].map(({path: [section = '', name], item, reason, kept}): StatusSlip => {
			const kind = name === undefined ? undefined : kinds.get(section);
			return {
				...(kind ? {kind, name: cell(String(name)).text} : {kind: 'section', name: item}),
				problem: reason,
				serving: kept,
			};
		}),
		...(broken
			? [
					{
						kind: 'section' as const,
						name: 'webhook_subscriptions.json',
						problem: broken.problem,
						serving: !broken.isUnread,
					},
				]
			: []),
		...brokenJobs.map(({profile, problem, isUnread}): StatusSlip => ({
			kind: 'section',
			name: `${profile === 'default' ? '' : `profiles/${profile}/`}cron/jobs.json`,
			problem,
			serving: !isUnread,
		})),
		...[...slipped.values()].slice(0, maxProblems).map(({name, reason, view}): StatusSlip => ({
			kind: 'route',
			name,
			problem: view.problem ?? reason,
			serving: routes.has(name),
		})),
		...[...routes.values()].flatMap(({name, cronJob, profile}): readonly StatusSlip[] => {
			const found = cronJob === undefined ? undefined : findJob(cronJob, profile);
			// A paused job is meant to fire nothing.
			return cronJob === undefined || !found || found.kind === 'found'
				? []
				: [
						{
							kind: 'route',
							name,
							problem: `Route "${name}" ${firesNothing(cronJob, found)}`,
							serving: false,
						},
					];
		}),
		...jobs.flatMap(({id, name, state, problem}): readonly StatusSlip[] =>
			problem === undefined
				? []
				: [{kind: 'job', name: name || id, problem, serving: state !== 'invalid'}],
		),
	].slice(0, maxProblems);
}
