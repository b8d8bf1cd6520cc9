import type {Config, HomePaths, RouteTable} from '../../config/config.ts';
import {expandServer} from '../../config/expand-server.ts';
import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {loadConfig} from '../../config/load-config.ts';
import {placeless} from '../../config/place-diagnostic.ts';
import {problemWithPlatform, problemWithSettings} from '../../config/platform-settings.ts';
import {platformSettings} from '../../config/platform-settings.ts';
import {buildRouteTable} from '../../config/route-table.ts';
import {viewOfRoute} from '../../config/route-view.ts';
import type {Route} from '../../config/route.ts';
import {contextVariables} from '../../config/server-references.ts';
import {createSubscriptionsReader} from '../../config/subscriptions.ts';
import {subscriptionsText} from '../../config/text-files.ts';
import type {Diagnostic} from '../../core/config-view.ts';
import {silentLogger} from '../../core/log.ts';
import {countOf} from '../../core/names.ts';
import {rulesWithoutOwner} from '../../gateway/approvals/rules-without-owner.ts';
import {problemWithJob} from '../../gateway/jobs/find-cron-job.ts';
import {lossText} from '../../nouns/route/route-facts.ts';
import {platformKinds} from '../../platforms/platforms.ts';
import {jobsFile} from '../../schedule/job-file.ts';
import type {Context} from '../console/context.ts';
import {printJson, tell, printLines} from '../console/print.ts';
import {readJobFiles} from '../home/receiver-facts.ts';
import {prefetchProblemsNow, problemsNow, readingProblemsNow} from '../home/targets-now.ts';
import {problemsWithSkills} from '../skills/skills-now.ts';
import {toolsOfRuns} from '../webhook/capability.ts';
import {readLostEvents} from '../webhook/lost-events.ts';

/**
 * Everything wrong with a home's files, the number of its routes, and which of these drop events. Unknown keys count as errors. Without `asks`, reads only
 * configuration files: starts no clients of targets, and opens no journal.
 */
export async function checkConfiguration(
	context: Context,
	{asks = true}: {readonly asks?: boolean} = {},
): Promise<{
	readonly problems: readonly Diagnostic[];
	readonly routes: number;
	readonly exists: boolean;
}> {
	const paths = context.paths();
	const loaded = loadConfig({paths, environment: context.environment, strict: true});
	if (!loaded.ok) {
		return {problems: loaded.problems, routes: 0, exists: true};
	}

	const {config} = loaded;
	const reader = createSubscriptionsReader({paths, clock: context.clock, log: silentLogger});
	const subscriptions = reader.current();
	const {problem, isUnread = false} = subscriptions;
	const table = {
		...buildRouteTable(config, subscriptions, {strict: true}),
		...(problem !== undefined && {broken: {problem, isUnread}}),
	};
	const lost = {
		deliveries: asks ? await readLostEvents(context) : [],
		now: context.clock.now(),
	};
	return {
		problems: [
			...config.problems,
			...(problem === undefined
				? []
				: [placeless(subscriptionsText(paths).name, {message: problem})]),
			...config.webhook.refusals.map(refusal => refusal.problem),
			...table.skipped.filter(({source}) => source === 'dynamic').map(route => route.problem),
			...table.warnings,
			...problemsWithServers(config),
			...problemsWithJobs(context, config),
			// Routes whose events would now be answered with 503.
			...aboutRoutes(config, table, route => problemWithJob(context, route, config)),
			...problemsWithSkills(context, config, table),
			...rulesWithoutOwner(config, {clock: context.clock, table}),
			...incompletePlatforms(config),
			// Problems of routes in the other file were reported with their lines.
			...aboutRoutes(config, table, ({source, cronJob, deliver}) =>
				source === 'static' && cronJob === undefined
					? problemWithPlatform(deliver, config)
					: undefined,
			),
			...(asks ? await routesThatCannotSend(context, config, table) : []),
			...(asks ? await runsWithDeferredTools(context, config, table) : []),
			// Routes that dropped events within the last hour.
			...aboutRoutes(config, table, route => lossText(viewOfRoute(route), lost)),
		],
		routes: table.routes.size,
		exists: config.exists,
	};
}

/** `svc config check`: reports problems, and exits with 3 if any are errors. */
export async function reportCheck(
	context: Context,
	{json}: {readonly json?: boolean},
): Promise<void> {
	const {problems, routes, exists} = await checkConfiguration(context);
	const failed = problems.some(({severity}) => severity === 'error');
	context.exit(failed ? 3 : 0);
	if (json) {
		printJson(context, {ok: !failed, problems});
		return;
	}

	for (const problem of problems) {
		tell(context, `${problem.severity}  ${formatDiagnostic(problem)}`);
	}

	const {config} = context.paths();
	if (!failed) {
		const counts = `${countOf(routes, 'route')}, ${countOf(problems.length, 'warning')}`;
		printLines(context, [
			exists ? `${config} is valid: ${counts}` : `${config} does not exist: the defaults apply`,
		]);
	}
}

/** Problems of jobs in the home, and in other profiles that its gateway serves. */
const problemsWithJobs = (context: Context, config: Config): readonly Diagnostic[] =>
	readJobFiles(context, config).flatMap(({problem, entries, paths}) => [
		...(problem === undefined ? [] : [placeless(jobsFile(paths), {message: problem})]),
		...entries.flatMap(({at}) => at ?? []),
	]);

/** Enabled platforms that cannot be used as configured. */
const incompletePlatforms = (config: Config): readonly Diagnostic[] =>
	platformKinds.flatMap(({kind}): readonly Diagnostic[] => {
		const settings = platformSettings(config, kind);
		const problem = settings?.enabled ? problemWithSettings(kind, settings) : undefined;
		const message = `is enabled and ${problem ?? ''}`;
		const key = `platforms.${kind}`;
		return problem === undefined
			? []
			: [placeless(config.paths.config, {key, message, severity: 'warning'})];
	});

/** Routes whose answers could not be delivered now, or that could not prefetch or read the code host. Each reason is reported once, for the first route. */
async function routesThatCannotSend(
	context: Context,
	config: Config,
	{routes}: RouteTable,
): Promise<readonly Diagnostic[]> {
	const sending = [...routes.values()].filter(({cronJob}) => cronJob === undefined);
	const targets = sending.map(({deliver, profile}) => ({kind: deliver, profile}));
	const problems = await problemsNow(context, config, targets);
	const ofPrefetch = await prefetchProblemsNow(context, config, sending);
	const ofReading = await readingProblemsNow(context, config, sending);
	return [
		...byReason(problems, 'its answers', 'delivered'),
		...byReason(ofPrefetch, 'what it prefetches', 'got'),
		...byReason(ofReading, 'what its commands read of the code host', 'got'),
	];

	function byReason(
		reasons: ReadonlyArray<string | undefined>,
		what: string,
		done: string,
	): readonly Diagnostic[] {
		const routesOf = Map.groupBy(
			sending.filter((_, index) => reasons[index] !== undefined),
			route => reasons[sending.indexOf(route)] ?? '',
		);
		return [...routesOf].flatMap(([reason, [first, ...others]]) => {
			const more =
				others.length === 0 ? '' : `, and those of ${countOf(others.length, 'other route')},`;
			const message = `${what}${more} cannot be ${done} now: ${reason}`;
			return first ? [warningAt(first, config.paths, message)] : [];
		});
	}
}

/** A warning about a route, without a line in a file. */
const warningAt = ({name: key, source}: Route, paths: HomePaths, message: string): Diagnostic => {
	const file = source === 'static' ? paths.config : subscriptionsText(paths).name;
	return placeless(file, {key, message, severity: 'warning'});
};

/** The warnings that `warn` returns for routes. */
const aboutRoutes = (
	{paths}: Config,
	{routes}: RouteTable,
	warn: (route: Route) => string | undefined,
): readonly Diagnostic[] =>
	[...routes.values()].flatMap(route => {
		const message = warn(route);
		return message === undefined ? [] : [warningAt(route, paths, message)];
	});

/**
 * Runs whose tools are deferred because they exceed what a model request may contain: runs with the tools of all servers, and of routes that name toolsets. Each
 * set is reported for the first route that names it.
 */
async function runsWithDeferredTools(
	context: Context,
	{paths, toolServers}: Config,
	{routes}: RouteTable,
): Promise<readonly Diagnostic[]> {
	if (toolServers.size === 0) {
		return [];
	}

	const routesByTools = Map.groupBy(
		[...routes.values()].filter(({toolsets}) => toolsets !== undefined),
		({profile, toolsets}) => JSON.stringify([profile, toolsets]),
	);
	const naming = [...routesByTools.values()].map(([first]) => first);
	const found = await Promise.all(
		[undefined, ...naming].map(async route => {
			const {profile = 'default', toolsets} = route ?? {};
			const {deferred} = await toolsOfRuns(context, {profile, toolsets});
			return deferred === undefined ? [] : [{route, message: deferred}];
		}),
	);
	return found
		.flat()
		.map(({route, message}) =>
			route
				? warningAt(route, paths, message)
				: placeless(paths.config, {key: 'mcp_servers', message, severity: 'warning'}),
		);
}

/** Tool servers that could not be connected to now, for each profile whose runs use them: because of unset variables or invalid URLs. */
function problemsWithServers({
	toolServers,
	profiles,
	paths,
	toolsets,
}: Config): readonly Diagnostic[] {
	const enabled = [...toolServers.values()].filter(server => server.enabled);
	return [profiles.of('default'), ...profiles.others].flatMap(({name: profile, environment}) => {
		const scope = {environment, context: contextVariables(environment, toolsets.terminal.workdir)};
		return enabled.flatMap((server): readonly Diagnostic[] => {
			const expanded = expandServer(server, scope);
			if (expanded.ok) {
				return [];
			}

			const key = `mcp_servers.${server.name}`;
			const message = `cannot be connected to${profile === 'default' ? '' : ` for profile "${profile}"`}: ${expanded.message}`;
			// Only a warning: the gateway may run with other variables.
			return [placeless(paths.config, {key, message, severity: 'warning'})];
		});
	});
}
