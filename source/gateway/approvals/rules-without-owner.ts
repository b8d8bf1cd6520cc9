import type {Config, RouteTable} from '../../config/config.ts';
import {placeless} from '../../config/place-diagnostic.ts';
import {valueAt} from '../../config/plain-data.ts';
import {routesPlace} from '../../config/profiles.ts';
import type {Clock} from '../../core/clock.ts';
import type {Diagnostic} from '../../core/config-view.ts';
import {isJsonObject} from '../../core/json.ts';
import {silentLogger} from '../../core/log.ts';
import {nearestName, quotedName} from '../../core/names.ts';
import {createJobsReader} from '../../schedule/job-file.ts';

/** Warnings for rules of `config.yaml` whose route or job does not exist, each with the probably intended name. Routes or jobs whose file cannot be read cause none. */
export function rulesWithoutOwner(
	config: Config,
	{clock, table}: {readonly clock: Clock; readonly table: RouteTable},
): readonly Diagnostic[] {
	const {approvalRules, paths} = config;
	const routes = routeNames(config, table);
	const withJobs = new Set(
		approvalRules.flatMap(({owner, profile}) => (owner.kind === 'job' ? [profile] : [])),
	);
	const jobs = new Map(
		[...withJobs].map(profile => [profile, jobNames(config, {profile, clock})] as const),
	);
	return approvalRules.flatMap(({owner: {kind, name}, profile, place}) => {
		const known = kind === 'route' ? routes : jobs.get(profile);
		if (!known || known.includes(name)) {
			return [];
		}

		const nearest = nearestName(name, known);
		const where =
			kind === 'job' && profile !== 'default' ? ` of profile ${quotedName(profile)}` : '';
		const meant = nearest === undefined ? '' : `, did you mean ${quotedName(nearest)}`;
		const message = `the rule of ${place} is for ${kind} ${quotedName(name)}${where}, which does not exist: it allows nothing${meant}`;
		return [placeless(paths.config, {key: 'approvals.allow', message, severity: 'warning'})];
	});
}

/** Names of the routes that are served, and of those that are invalid. */
function routeNames(
	{written}: Config,
	{routes, skipped, broken}: RouteTable,
): readonly string[] | undefined {
	const inFile = valueAt(written, routesPlace(written));
	return broken?.isUnread
		? undefined
		: [
				...routes.keys(),
				...skipped.map(({name}) => name),
				...(isJsonObject(inFile) ? Object.keys(inFile) : []),
			];
}

/** Names and identifiers of jobs. */
function jobNames(
	{profiles}: Config,
	{profile, clock}: {readonly profile: string; readonly clock: Clock},
): readonly string[] | undefined {
	const {paths} = profiles.of(profile);
	const {entries, problem} = createJobsReader({paths, clock, log: silentLogger}).current();
	return problem === undefined ? entries.flatMap(({job: {id, name}}) => [name, id]) : undefined;
}
