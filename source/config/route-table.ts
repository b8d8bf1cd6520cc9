import type {Diagnostic, RouteView} from '../core/config-view.ts';
import {compact} from '../core/names.ts';
import {problemWithPrefetch} from './code-host-events.ts';
import type {Config, RouteTable} from './config.ts';
import {problemWithToolsets} from './diagnose.ts';
import {placeless} from './place-diagnostic.ts';
import {problemWithAnswers} from './platform-settings.ts';
import {resolveSubscriptions, type ResolvedSubscriptions} from './resolve-subscriptions.ts';
import {insecureSecret} from './route-refusals.ts';
import {viewOfRoute} from './route-view.ts';
import type {Route, SkippedRoute} from './route.ts';
import type {Subscriptions, SubscriptionsReader} from './subscriptions.ts';
import {subscriptionsText} from './text-files.ts';
import {maxProblems} from './yaml-source.ts';

let tablesMade = 0;

/**
 * The served routes: those of `config.yaml`, then the dynamic ones. A dynamic route is skipped if a static route has its name, even a refused or invalid one, and for every
 * reason that a static route would be refused for. At most 5,000 dynamic routes are read. `strict`: their unknown keys are reported as errors among the warnings.
 *
 * @see manual/routes.md#dynamic-routes
 */
export const buildRouteTable = (
	config: Config,
	subscriptions: Subscriptions,
	options: {readonly strict?: boolean} = {},
): RouteTable => routeTableOf(config, resolveSubscriptions(config, subscriptions, options));

/** The table of resolved dynamic routes and the static ones. */
export function routeTableOf(config: Config, subscriptions: ResolvedSubscriptions): RouteTable {
	const {
		routes: staticRoutes,
		refusals,
		invalid: staticErrors,
		skipped: notServed,
	} = config.webhook;
	const routes = new Map<string, Route>(staticRoutes);
	const skipped: SkippedRoute[] = [...refusals, ...staticErrors, ...notServed];
	const invalid = firstByName(staticErrors);
	const warnings: Diagnostic[] = [...subscriptions.warnings];
	const staticNames = new Set([...staticRoutes.keys(), ...skipped.map(({name}) => name)]);
	for (const [name, {resolved, warnings: ofEntry}] of subscriptions.entries) {
		if (resolved.ok) {
			if (staticNames.has(name)) {
				skipped.push(shadowed(resolved.route, config));
			} else {
				routes.set(name, resolved.route);
				warnings.push(...ofEntry);
			}

			continue;
		}

		const [first] = resolved.refusals;
		skipped.push(...resolved.refusals);
		if (first?.kind === 'invalid' && !staticNames.has(name)) {
			invalid.set(name, first);
			if (resolved.last) {
				routes.set(name, resolved.last);
			}
		}
	}

	const troubles = new Map(
		[...routes.values()].flatMap(route => {
			const texts = troublesWith(route, config);
			return texts.length === 0 ? [] : [[route.name, texts] as const];
		}),
	);
	tablesMade += 1;
	return {
		routes,
		troubles,
		invalid,
		skipped,
		warnings: warnings.slice(0, maxProblems),
		version: tablesMade,
	};
}

function firstByName(itemErrors: readonly SkippedRoute[]): Map<string, SkippedRoute> {
	const first = new Map<string, SkippedRoute>();
	for (const itemError of itemErrors) {
		first.set(itemError.name, first.get(itemError.name) ?? itemError);
	}

	return first;
}

function shadowed(route: Route, {paths}: Config): SkippedRoute {
	const {name, source, profile} = route;
	const reason = `Dynamic route "${name}" is not used: a route of config.yaml has the same name`;
	return {
		name,
		source,
		profile,
		kind: 'shadowed',
		code: 'shadowed',
		reason,
		problem: placeless(subscriptionsText(paths).name, {key: name, message: reason}),
		view: {...viewOfRoute(route), problem: reason},
	};
}

/**
 * Returns the present table. It is made again only when the configuration or the dynamic routes have changed since the last call, and then only changed dynamic routes are
 * resolved again. A route that became invalid is served in its last good version. Cheap enough for every request.
 */
export function createRouteTableSource({
	config,
	subscriptions,
}: {
	readonly config: () => Config;
	readonly subscriptions: SubscriptionsReader;
}): () => RouteTable {
	let made:
		| {
				readonly config: Config;
				readonly subscriptions: Subscriptions;
				readonly resolved: ResolvedSubscriptions;
				readonly table: RouteTable;
		  }
		| undefined;
	return () => {
		const now = {config: config(), subscriptions: subscriptions.current()};
		if (made?.config !== now.config || made.subscriptions !== now.subscriptions) {
			const known = made?.config === now.config ? made.resolved : undefined;
			const resolved = resolveSubscriptions(now.config, now.subscriptions, {
				known,
				previous: made?.resolved,
				last: made?.table.routes,
			});
			const {problem, isUnread = false} = now.subscriptions;
			const table = routeTableOf(now.config, resolved);
			made = {
				...now,
				resolved,
				table: problem === undefined ? table : {...table, broken: {problem, isUnread}},
			};
		}

		return made.table;
	};
}

/** The entries of a table as faces see them, one for each name and source: served ones first, each group in the order of its file. */
export function routeViews({routes, troubles, invalid, skipped}: RouteTable): readonly RouteView[] {
	const views = new Map<string, RouteView>();
	for (const view of [
		...[...routes.values()].map(route => {
			const stale = invalid.get(route.name)?.view.problem;
			const texts = troubles?.get(route.name);
			return {
				...viewOfRoute(route),
				...(stale !== undefined && {stale}),
				...(texts && {troubles: texts}),
			};
		}),
		...skipped.map(entry => entry.view),
	]) {
		const key = `${view.source} ${view.name}`;
		if (!views.has(key)) {
			views.set(key, view);
		}
	}

	return [...views.values()];
}

/** Secrets of every served route, including dynamic ones: logs must hide them besides `Config.secretValues`. */
export const secretsInTable = ({routes}: RouteTable): readonly string[] => [
	...new Set(
		[...routes.values()]
			.flatMap(({secrets, retiredSecrets}) => [
				...secrets,
				...retiredSecrets.map(({secret}) => secret),
			])
			.filter(text => text !== insecureSecret),
	),
];

/** Problems of a served route with its events' results, as predicates: with the target of answers, the toolsets, and `prefetch`. */
const troublesWith = (route: Route, config: Config): readonly string[] =>
	compact([
		problemWithAnswers(route, config),
		problemWithToolsets(route, config),
		problemWithPrefetch(route),
	]);
