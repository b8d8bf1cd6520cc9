import type {RouteTable} from '../config/config.ts';
import type {Route, SkippedRoute} from '../config/route.ts';
import {routeIdOf} from './compiled-route.ts';
import type {PipelineParts} from './pipeline-parts.ts';
import {cleanDetail, note} from './visit.ts';
import type {Visit} from './visit.ts';

/** What a request's path named. */
export type Named = {
	/** Decoded; `undefined` without the prefix `/p/<profile>`. */
	readonly profile: string | undefined;
	/** Decoded; `undefined` when the path names no route. */
	readonly route: string | undefined;
	readonly path: string;
};

const longestName = 64;

/** What is looked at of a name that a stranger made up. */
const lookedAt = 1024;

const defaultProfile = 'default';

/** What a path leads to: a route, one that cannot be served as it is written, or nothing that anybody may know of. */
export type FoundRoute =
	| {readonly kind: 'served'; readonly route: Route}
	| {readonly kind: 'slipped'; readonly reason: string}
	| {readonly kind: 'unknown'};

const unknown: FoundRoute = {kind: 'unknown'};

/**
 * The route that a path names: without a prefix one of the default profile, with one a route that is bound to exactly that profile. Whoever asks learns of no other route that there
 * is one. A route whose profile cannot be read is found below each of them: its sender must come again.
 *
 * @see manual/receiver.md#answers, manual/signatures.md#schemes
 */
export function findRoute(
	visit: Visit,
	named: Named,
	parts: Pick<PipelineParts, 'routes' | 'multiplexing' | 'compile'>,
): FoundRoute {
	const {profile, route: name} = named;
	const table = parts.routes();
	const route = name === undefined ? undefined : table.routes.get(name);
	const slip = route || name === undefined ? undefined : table.slipped.get(name);
	const problem =
		profile !== undefined && !parts.multiplexing()
			? 'profiles are not multiplexed'
			: problemOf(route ?? slip, profile ?? defaultProfile);
	if (problem === undefined && route) {
		enterRoute(visit, route, parts);
		return {kind: 'served', route};
	}

	if (problem === undefined && slip) {
		// A profile that only the path names is a stranger's word.
		const bound = {profile: slip.profile ?? defaultProfile, name: slip.name};
		visit.route = bound.name;
		visit.profile = bound.profile;
		visit.routeId = routeIdOf(bound);
		return {kind: 'slipped', reason: slip.view.problem ?? slip.reason};
	}

	const isOfFile = profile === undefined || parts.multiplexing();
	if (table.broken?.isUnread && name !== undefined && isOfFile && !isStatic(table, name)) {
		visit.route = cleanDetail(visit, name.slice(0, lookedAt), longestName);
		return {kind: 'slipped', reason: table.broken.problem};
	}

	// A query may hold a secret, and names nothing.
	const shown = profile === undefined ? name : undefined;
	const text = shown ?? named.path.replace(/\?.*/, '');
	visit.route = cleanDetail(visit, text.slice(0, lookedAt), longestName);
	note(visit, 'route', {verdict: 'stop', detail: problem ?? 'no such route'});
	return unknown;
}

const isStatic = ({routes, skipped}: RouteTable, name: string): boolean =>
	routes.has(name) || skipped.some(entry => entry.name === name);

/** From here on the visit is one to `route`. */
export function enterRoute(
	visit: Visit,
	route: Route,
	{compile}: Pick<PipelineParts, 'compile'>,
): void {
	visit.route = route.name;
	visit.profile = route.profile;
	const {id, keptHeaders} = compile(route);
	visit.routeId = id;
	visit.keptHeaders = keptHeaders;
	note(visit, 'route', {verdict: 'pass', detail: route.source});
}

function problemOf(
	route: Pick<SkippedRoute, 'profile'> | undefined,
	profile: string,
): string | undefined {
	if (!route) {
		return 'no such route';
	}

	return (route.profile ?? profile) === profile ? undefined : `bound to profile "${route.profile}"`;
}
