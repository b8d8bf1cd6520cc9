import type {Config, HomePaths, RouteTable} from '../../config/config.ts';
import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {loadConfig} from '../../config/load-config.ts';
import {buildRouteTable} from '../../config/route-table.ts';
import type {Route} from '../../config/route.ts';
import {createSubscriptionsReader} from '../../config/subscriptions.ts';
import {SvcError} from '../../core/errors.ts';
import {silentLogger} from '../../core/log.ts';
import {createJobsReader} from '../../schedule/job-file.ts';
import type {Context} from '../console/context.ts';

/** The configuration of the context's home. @throws SvcError `config_invalid` with the first problem */
export function readConfig(context: Context): Config {
	const loaded = loadConfig({paths: context.paths(), environment: context.environment});
	if (loaded.ok) {
		return loaded.config;
	}

	const [first] = loaded.problems;
	throw new SvcError('config_invalid', first ? formatDiagnostic(first) : 'Cannot read config.yaml');
}

/**
 * The configuration, for a change that depends on it. `paths`: for a home that may be new; `text`: the new contents of `config.yaml`.
 *
 * @throws SvcError `config_refused` with the first problem
 */
export function usableConfig(
	context: Context,
	given: {readonly paths?: HomePaths; readonly text?: string} = {},
): Config {
	const {paths = context.paths()} = given;
	const loaded = loadConfig({...given, paths, environment: context.environment});
	if (!loaded.ok) {
		const [problem] = loaded.problems;
		throw new SvcError(
			'config_refused',
			`Cannot read the configuration: ${problem ? formatDiagnostic(problem) : 'see "svc config check"'}`,
		);
	}

	return loaded.config;
}

/** A home's routes by its current files. `problem`: why the dynamic routes are unusable. Never throws. */
export function readRoutes(
	{clock}: Pick<Context, 'clock'>,
	config: Config,
): RouteTable & {readonly problem?: string} {
	const reader = createSubscriptionsReader({paths: config.paths, clock, log: silentLogger});
	const subscriptions = reader.current();
	const {problem} = subscriptions;
	return {...buildRouteTable(config, subscriptions), ...(problem !== undefined && {problem})};
}

/** The route of this name, if it is served. `failed`: the beginning of the error message. @throws SvcError `route_not_found` */
export function servedRoute(
	context: Pick<Context, 'clock'>,
	config: Config,
	{name, failed}: {readonly name: string; readonly failed: string},
): Route {
	const route = readRoutes(context, config).routes.get(name);
	if (route) {
		return route;
	}

	throw new SvcError(
		'route_not_found',
		`${failed}: there is no such route that is served, see "svc webhook list"`,
	);
}

/** The current job files of all profiles. Never throws. */
export const readJobFiles = ({clock}: Pick<Context, 'clock'>, {profiles}: Config) =>
	[profiles.of('default'), ...profiles.others].map(({name: profile, paths}) => ({
		...createJobsReader({paths, clock, log: silentLogger}).current(),
		profile,
		paths,
	}));

const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/** The receiver's URL for senders on this machine. */
export function urlOf({webhook}: Config): string {
	const host = everyAddress.has(webhook.host) ? '127.0.0.1' : webhook.host;
	return `http://${host.includes(':') ? `[${host}]` : host}:${webhook.port}`;
}
