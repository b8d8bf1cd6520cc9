import type {Diagnostic} from '../core/config-view.ts';
import type {JsonValue} from '../core/json.ts';
import {orElse} from '../core/or-else.ts';
import {problemWithPrefetch} from './code-host-events.ts';
import {routeSchemaJson} from './config-schema-json.ts';
import type {Config, RouteTable} from './config.ts';
import {problemWithToolsets} from './diagnose.ts';
import {findRouteKeysWithoutValue, idleSkills, withoutValue} from './idle-settings.ts';
import {createJsonPlacer, repeatedKeysIn} from './json-source.ts';
import {findLostKeys} from './keep-last-good.ts';
import {
	placeless,
	placelessIn,
	type UnplacedDiagnostic,
	warningsAt,
	below,
} from './place-diagnostic.ts';
import {problemWithAnswers} from './platform-settings.ts';
import {missingProfile} from './profiles.ts';
import type {ResolvedRoute} from './resolve-route.ts';
import {resolveSubscription, routeContextOf} from './resolve-subscription.ts';
import type {Route} from './route.ts';
import {findUnknownKeys, unknownKey} from './schema-issues.ts';
import type {Subscriptions} from './subscriptions.ts';
import {subscriptionsText} from './text-files.ts';
import {warningOnSecrets} from './weak-secrets.ts';

/** Most entries: all of them are resolved within one request. */
const maxEntries = 5000;

/** The result of resolving an entry. */
export type ResolvedEntry = {
	/** The entry as JSON, for comparison; absent when it cannot be serialised. */
	readonly text: string | undefined;
	/** The entry in force: the last good version of an invalid one. */
	readonly inUse: JsonValue | undefined;
	readonly resolved: ResolvedRoute;
	/** Warnings about the entry, with their positions. */
	readonly warnings: readonly Diagnostic[];
};

/** @see resolveSubscriptions */
export type ResolveOptions = {
	readonly known?: ResolvedSubscriptions | undefined;
	/** The previous results, possibly under another configuration. */
	readonly previous?: ResolvedSubscriptions | undefined;
	/** The routes in use, by name: they contain the last good versions of invalid dynamic routes. */
	readonly last?: RouteTable['routes'] | undefined;
	readonly strict?: boolean;
};

/** The first 5,000 entries of the file, in its order, by name. */
export type ResolvedSubscriptions = {
	readonly entries: ReadonlyMap<string, ResolvedEntry>;
	/** Warnings about the file as a whole. */
	readonly warnings: readonly Diagnostic[];
};

/**
 * Resolves the dynamic routes of a home. `known`: earlier results under the same configuration; unchanged valid entries are taken from it as the same objects. `strict`:
 * unknown keys are errors, as in `svc config check`; otherwise warnings.
 */
export function resolveSubscriptions(
	config: Config,
	{entries, text: source}: Subscriptions,
	{known, previous, last, strict = false}: ResolveOptions = {},
): ResolvedSubscriptions {
	const {name: file} = subscriptionsText(config.paths);
	// Rows of a database have no visible text, and so no lines.
	const place =
		source === undefined || config.paths.shared
			? placelessIn(file)
			: createJsonPlacer(file, source);
	const context = routeContextOf(config, place);
	const repeated = Map.groupBy(
		source === undefined ? [] : repeatedKeysIn(source),
		([name]) => name,
	);
	const resolve = (name: string, entry: JsonValue): ResolvedEntry => {
		const text = textOf(entry);
		const before = known?.entries.get(name);
		// The findings of an invalid entry depend on its position in the file, so it is resolved again.
		const twice = repeated.get(name) ?? [];
		if (before?.resolved.ok && text !== undefined && before.text === text && twice.length === 0) {
			return before;
		}

		const old = previous?.entries.get(name)?.inUse;
		const resolved = resolveSubscription(name, entry, {
			...context,
			last: last?.get(name),
			known: [
				...twice.map(([, ...path]) => ({path, message: standsTwice})),
				...findLostKeys(entry, old, {schema: routeSchemaJson()}),
			],
		});
		return {
			text,
			inUse: resolved.ok ? entry : old,
			resolved,
			warnings: resolved.ok ? warningsOf(resolved.route, entry, {config, place, strict}) : [],
		};
	};

	const written = Object.entries(entries);
	const [beyond] = written.slice(maxEntries);
	return {
		entries: new Map(
			written.slice(0, maxEntries).map(([name, entry]) => [name, resolve(name, entry)]),
		),
		warnings: beyond === undefined ? [] : [tooMany(config, written.length, beyond[0])],
	};
}

/** The message about a repeated key: it is unknown which value is meant. */
const standsTwice = 'stands twice: remove one of them';

/** The JSON of an entry; `undefined` if it is nested too deeply. */
const textOf = (entry: JsonValue): string | undefined =>
	orElse(() => JSON.stringify(entry), undefined);

const tooMany = ({paths}: Config, count: number, beyond: string): Diagnostic => ({
	...placeless(subscriptionsText(paths).name, {
		message: `holds ${count} entries: the first ${maxEntries} are served, "${beyond}" and those below it are not`,
	}),
	severity: 'warning',
});

function warningsOf(
	route: Route,
	entry: JsonValue,
	options: {
		readonly config: Config;
		readonly place: (finding: UnplacedDiagnostic) => Diagnostic;
		readonly strict: boolean;
	},
): readonly Diagnostic[] {
	const {config, place, strict} = options;
	// A weak global secret is reported at the global setting.
	const isOwn = route.secrets !== config.webhook.secrets;
	const findings: readonly UnplacedDiagnostic[] = [
		...findUnknownKeys(entry, routeSchemaJson()).map(key => ({
			path: key.path,
			message: unknownKey(key),
			severity: strict ? ('error' as const) : ('warning' as const),
		})),
		...findRouteKeysWithoutValue(entry).flatMap(path => warningsAt(path, withoutValue)),
		...warningsAt(['profile'], missingProfile(route.profile, config)),
		...warningsAt(['deliver'], problemWithAnswers(route, config)),
		...warningsAt(['toolsets'], problemWithToolsets(route, config)),
		...warningsAt(['skills'], idleSkills(route)),
		...warningsAt(['prefetch'], problemWithPrefetch(route)),
		...warningsAt(['secret'], isOwn ? warningOnSecrets(route.secrets) : undefined),
	];
	return findings.map(finding => place(below([route.name], finding)));
}
