import type {Route} from '../config/route.ts';
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

/**
 * The route that a path names: without a prefix one of the default profile, with one a route that is bound to exactly that profile. Whoever asks learns of no other route that there
 * is one.
 *
 * @see Interface 4.2, 5.2 rule 4
 */
export function findRoute(
	visit: Visit,
	named: Named,
	parts: Pick<PipelineParts, 'routes' | 'multiplexing' | 'compile'>,
): Route | undefined {
	const {profile, route: name} = named;
	const route = name === undefined ? undefined : parts.routes().routes.get(name);
	const problem =
		profile !== undefined && !parts.multiplexing()
			? 'profiles are not multiplexed'
			: problemOf(route, profile ?? defaultProfile);
	if (!route || problem !== undefined) {
		// A query may hold a secret, and names nothing.
		const shown = profile === undefined ? name : undefined;
		const text = shown ?? named.path.replace(/\?.*/, '');
		visit.route = cleanDetail(visit, text.slice(0, lookedAt), longestName);
		note(visit, 'route', {verdict: 'stop', detail: problem ?? 'no such route'});
		return undefined;
	}

	enterRoute(visit, route, parts);
	return route;
}

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

function problemOf(route: Route | undefined, profile: string): string | undefined {
	if (!route) {
		return 'no such route';
	}

	return route.profile === profile ? undefined : `bound to profile "${route.profile}"`;
}
