import type {Config, RouteTable} from '../../config/config.ts';
import type {KeyPath} from '../../config/plain-data.ts';
import {maxProblems} from '../../config/yaml-source.ts';
import type {JobView} from '../../core/job.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {FoundJob} from '../../schedule/find-job.ts';
import type {BrokenJobs} from '../../schedule/watched-profiles.ts';
import {firesNothing} from '../jobs/find-cron-job.ts';
import type {StatusError} from '../port.ts';

/** The kind of an invalid item, by its section. */
const kinds: ReadonlyMap<KeyPath[number], StatusError['kind']> = new Map([
	['mcp_servers', 'server'],
	['platforms', 'platform'],
]);

/** All invalid items of the configuration, at most 100, sections first. Pure. */
export function statusErrors(given: {
	readonly config: Pick<Config, 'itemErrors' | 'paths'>;
	readonly table: Pick<RouteTable, 'routes' | 'invalid' | 'broken'>;
	readonly jobs: readonly JobView[];
	/** Finds the job that a route's `cron_job` names. */
	readonly findJob: (reference: string, profile: string) => FoundJob;
	readonly brokenJobs: readonly BrokenJobs[];
}): readonly StatusError[] {
	const {
		config: {itemErrors, paths},
		table: {routes, invalid, broken},
		jobs,
		findJob,
		brokenJobs,
	} = given;
	return [
		...[...itemErrors.values()].map(
			({path: [section = '', name], item, reason, kept}): StatusError => {
				const kind = name === undefined ? undefined : kinds.get(section);
				return {
					...(kind ? {kind, name: escapeLine(String(name))} : {kind: 'section', name: item}),
					problem: reason,
					serving: kept,
				};
			},
		),
		...(broken
			? [
					{
						kind: 'section' as const,
						name: paths.shared?.subscriptions.name ?? 'webhook_subscriptions.json',
						problem: broken.problem,
						serving: !broken.isUnread,
					},
				]
			: []),
		...brokenJobs.map(({profile, problem, isUnread}): StatusError => ({
			kind: 'section',
			name:
				paths.shared?.of(profile).jobs.name ??
				`${profile === 'default' ? '' : `profiles/${profile}/`}cron/jobs.json`,
			problem,
			serving: !isUnread,
		})),
		...[...invalid.values()].slice(0, maxProblems).map(({name, reason, view}): StatusError => ({
			kind: 'route',
			name,
			problem: view.problem ?? reason,
			serving: routes.has(name),
		})),
		...[...routes.values()].flatMap(({name, cronJob, profile}): readonly StatusError[] => {
			const found = cronJob === undefined ? undefined : findJob(cronJob, profile);
			// A paused job is meant not to fire.
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
		...jobs.flatMap(({id, name, state, problem}): readonly StatusError[] =>
			problem === undefined
				? []
				: [{kind: 'job', name: name || id, problem, serving: state !== 'invalid'}],
		),
	].slice(0, maxProblems);
}
