import type {RouteTable} from '../config/config.ts';
import type {Route, SkippedRoute} from '../config/route.ts';
import {routeIdOf} from './compiled-route.ts';
import {cleanDetail, note} from './delivery-draft.ts';
import type {DeliveryDraft} from './delivery-draft.ts';
import type {ReceiverServices} from './receiver-services.ts';

/** What a request's path named. */
export type RequestedRoute = {
	/** Decoded; `undefined` without the prefix `/p/<profile>`. */
	readonly profile: string | undefined;
	/** Decoded; `undefined` when the path names no route. */
	readonly route: string | undefined;
	readonly path: string;
};

const maxNameLength = 64;

/** What is looked at of a name that a stranger made up. */
const lookedAt = 1024;

const defaultProfile = 'default';

/** What a path leads to: a route, one that cannot be served as it is written, or nothing that anybody may know of. */
export type FoundRoute =
	| {readonly kind: 'served'; readonly route: Route}
	| {readonly kind: 'invalid'; readonly reason: string}
	| {readonly kind: 'unknown'};

const unknown: FoundRoute = {kind: 'unknown'};

/**
 * The route that a path names: without a prefix one of the default profile, with one a route that is bound to exactly that profile. Whoever asks learns of no other route that there
 * is one. A route whose profile cannot be read is found below each of them: its sender must come again.
 *
 * @see manual/receiver.md#answers, manual/signatures.md#schemes
 */
export function findRoute(
	draft: DeliveryDraft,
	named: RequestedRoute,
	services: Pick<ReceiverServices, 'routes' | 'multiplexing' | 'compile'>,
): FoundRoute {
	const {profile, route: name} = named;
	const table = services.routes();
	const route = name === undefined ? undefined : table.routes.get(name);
	const itemError = route || name === undefined ? undefined : table.invalid.get(name);
	const problem =
		profile !== undefined && !services.multiplexing()
			? 'profiles are not multiplexed'
			: problemOf(route ?? itemError, profile ?? defaultProfile);
	if (problem === undefined && route) {
		enterRoute(draft, route, services);
		return {kind: 'served', route};
	}

	if (problem === undefined && itemError) {
		// A profile that only the path names is a stranger's word.
		const bound = {profile: itemError.profile ?? defaultProfile, name: itemError.name};
		draft.route = bound.name;
		draft.profile = bound.profile;
		draft.routeId = routeIdOf(bound);
		return {kind: 'invalid', reason: itemError.view.problem ?? itemError.reason};
	}

	const isOfFile = profile === undefined || services.multiplexing();
	if (table.broken?.isUnread && name !== undefined && isOfFile && !isStatic(table, name)) {
		draft.route = cleanDetail(draft, name.slice(0, lookedAt), maxNameLength);
		return {kind: 'invalid', reason: table.broken.problem};
	}

	// A query may hold a secret, and names nothing.
	const shown = profile === undefined ? name : undefined;
	const text = shown ?? named.path.replace(/\?.*/, '');
	draft.route = cleanDetail(draft, text.slice(0, lookedAt), maxNameLength);
	note(draft, 'route', {verdict: 'stop', detail: problem ?? 'no such route'});
	return unknown;
}

const isStatic = ({routes, skipped}: RouteTable, name: string): boolean =>
	routes.has(name) || skipped.some(entry => entry.name === name);

/** From here on the draft is a delivery of `route`. */
export function enterRoute(
	draft: DeliveryDraft,
	route: Route,
	{compile}: Pick<ReceiverServices, 'compile'>,
): void {
	draft.route = route.name;
	draft.profile = route.profile;
	const {id, keptHeaders} = compile(route);
	draft.routeId = id;
	draft.keptHeaders = keptHeaders;
	note(draft, 'route', {verdict: 'pass', detail: route.source});
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
