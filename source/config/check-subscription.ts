import type {Diagnostic} from '../core/config-view.ts';
import type {JsonValue} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {Config} from './config.ts';
import {formatDiagnostic} from './format-diagnostic.ts';
import {namePattern} from './home-paths.ts';
import {profileNotServed} from './resolve-route.ts';
import {resolveSubscriptions} from './resolve-subscriptions.ts';
import {routeTableOf} from './route-table.ts';
import type {Route} from './route.ts';

const maxNameLength = 128;

/** The result of resolving a dynamic route. */
export type CheckedSubscription = {
	/** Why the receiver would refuse the route; empty: it would not. `path`: keys down to the value, dotted; empty for the entry itself. */
	readonly refusals: ReadonlyArray<{
		readonly code: string;
		readonly reason: string;
		readonly path: string;
	}>;
	/**
	 * Warnings about an accepted route, one sentence each: why it is still not served (`config.yaml` has a route of its name, or its profile is not served), settings
	 * without effect, a profile without a folder.
	 */
	readonly warnings: readonly string[];
	/** The warnings that concern a single setting, with its keys. */
	readonly notes?: ReadonlyArray<{readonly path: string; readonly message: string}>;
	/** Absent when the route is refused, or its profile is not served. */
	readonly route?: Route;
};

/**
 * Resolves the dynamic route `name` with `entry` as the receiver would. The same rules as for a route of `config.yaml`, and the stricter ones for names that are chosen at a prompt.
 *
 * @see manual/routes.md#dynamic-routes
 */
export function checkSubscription(
	name: string,
	entry: JsonValue,
	config: Config,
): CheckedSubscription {
	const reason = problemWithNewName(name);
	if (reason !== undefined) {
		return {refusals: [{code: 'name_invalid', reason, path: ''}], warnings: []};
	}

	return checkEntry(name, entry, config);
}

/** Why a new route cannot have this name; `undefined`: it can. Existing routes may have other names. */
export const problemWithNewName = (name: string): string | undefined =>
	namePattern.test(name)
		? undefined
		: `Cannot name a route "${escapeLine(name, maxNameLength)}": a name has 1 to 64 characters of a-z, 0-9, "_" and "-", and starts with a letter or digit`;

/** Whether `config.yaml` has a route of that name, served or not: it takes precedence over a dynamic route. */
export const isStaticName = (
	name: string,
	{webhook: {routes, refusals, invalid, skipped}}: Pick<Config, 'webhook'>,
): boolean =>
	routes.has(name) || [...refusals, ...invalid, ...skipped].some(one => one.name === name);

/** `checkSubscription` for an existing name, which may break the rules for new names if it was written by hand. */
export function checkEntry(name: string, entry: JsonValue, config: Config): CheckedSubscription {
	const subscriptions = resolveSubscriptions(config, {entries: {[name]: entry}});
	const {skipped, warnings} = routeTableOf(config, subscriptions);
	const resolved = subscriptions.entries.get(name)?.resolved;
	return {
		refusals:
			!resolved || resolved.ok
				? []
				: resolved.refusals
						.filter(({code}) => code !== profileNotServed)
						.map(({code, reason, problem}) => ({code, reason, path: pathBelow(name, problem)})),
		warnings: [
			...skipped.filter(({source}) => source === 'dynamic').map(({reason}) => reason),
			...warnings.map(formatDiagnostic),
		],
		notes: warnings.flatMap(problem => {
			const path = pathBelow(name, problem);
			return path === '' ? [] : [{path, message: problem.message}];
		}),
		...(resolved?.ok && {route: resolved.route}),
	};
}

/** The part of the key of a finding after the name of its entry; empty if there is none. */
export const pathBelow = (name: string, {key}: Pick<Diagnostic, 'key'>): string =>
	key.startsWith(`${name}.`) ? key.slice(name.length + 1) : '';
