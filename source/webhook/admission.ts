import type {RouteTable} from '../config/config.ts';
import {insecureSecret} from '../config/route-refusals.ts';
import type {Route, SkippedRoute} from '../config/route.ts';
import {oncePer} from '../core/derive.ts';
import type {JsonObject} from '../core/json.ts';
import {remedyOf} from '../core/traffic.ts';
import type {Limits} from '../store/limits/port.ts';
import type {RouteKey} from '../store/port.ts';
import {type EventSubjectReader, compileSubject} from './event-subject.ts';
import {isFromForeignPage} from './exchange.ts';
import type {HoldsValue} from './filter-operators.ts';
import {type FilterCheck, compileFilters, keptHeadersOf} from './filter.ts';
import {type GroupKeyReader, compileGroupKey} from './group-key.ts';
import {deliveryIdOf, headerIdOf} from './identity.ts';
import {
	type DeliveryDraft,
	type ReceiverServices,
	cleanDetail,
	nameDraft,
	note,
	stop,
} from './receive-context.ts';
import {type Reply, rateReply, refusals} from './replies.ts';
import {verifySignature} from './signature.ts';
import {type RenderContext, type Template, compileExtra, parseTemplate} from './template.ts';

/** The route named by the path of a request. */
export type RequestedRoute = {
	/** Decoded; `undefined` without the prefix `/p/<profile>`. */
	readonly profile: string | undefined;
	/** Decoded; `undefined` when the path names no route. */
	readonly route: string | undefined;
	readonly path: string;
};

const maxNameLength = 64;

/** Untrusted names are cut to this many characters before they are cleaned. */
const lookedAt = 1024;

const defaultProfile = 'default';

/** The target of a path: a served route, an invalid one, or unknown. */
export type FoundRoute =
	| {readonly kind: 'served'; readonly route: Route}
	| {readonly kind: 'invalid'; readonly reason: string}
	| {readonly kind: 'unknown'};

const unknown: FoundRoute = {kind: 'unknown'};

/**
 * Looks up a route: `/webhooks/<route>` finds routes of the default profile, `/p/<profile>/webhooks/<route>` only routes bound to `<profile>`. Routes of other profiles are
 * answered like unknown ones, which discloses nothing. An invalid route whose profile cannot be read matches every profile, so that its sender gets a 503 and tries again.
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
		// The draft gets the profile of the entry: the one in the path is untrusted.
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

	// The query is no part of the name, and may hold a secret.
	const shown = profile === undefined ? name : undefined;
	const text = shown ?? named.path.replace(/\?.*/, '');
	draft.route = cleanDetail(draft, text.slice(0, lookedAt), maxNameLength);
	note(draft, 'route', {verdict: 'stop', detail: problem ?? 'no such route'});
	return unknown;
}

const isStatic = ({routes, skipped}: RouteTable, name: string): boolean =>
	routes.has(name) || skipped.some(entry => entry.name === name);

/** Records in the draft that the request belongs to `route`. */
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

/** What is derived from a route, once per route object; a reload makes new objects. */
export type CompiledRoute = {
	/** Route and profile as one unique name. */
	readonly id: string;
	readonly matches: FilterCheck;
	/** Headers stored with its deliveries beside the usual ones. */
	readonly keptHeaders: readonly string[];
	/** The subject of an event, in one line for people. */
	readonly subjectOf: EventSubjectReader;
	/** The template of the prompt; `undefined`: the prompt is the whole payload. */
	readonly prompt: Template | undefined;
	/** Accepted event types; `undefined`: all but connectivity checks. */
	readonly events: ReadonlySet<string> | undefined;
	/** Renders `deliver_extra` for one event. */
	readonly renderExtra: (context: RenderContext) => JsonObject;
	/** `undefined`: the route does not coalesce events. */
	readonly groupKey: GroupKeyReader | undefined;
};

/** Compiles routes, memoised per route object. `holdsValueIn(profile)` searches the filter files of that profile. */
export function createRouteCompiler(
	holdsValueIn: (profile: string) => HoldsValue,
): (route: Route) => CompiledRoute {
	return oncePer(route => ({
		id: routeIdOf(route),
		matches: compileFilters(route.filters, holdsValueIn(route.profile)),
		keptHeaders: keptHeadersOf(route),
		subjectOf: compileSubject(route),
		prompt: route.prompt === undefined ? undefined : parseTemplate(route.prompt),
		events: route.events.length === 0 ? undefined : new Set(route.events),
		renderExtra: compileExtra(route.deliverExtra),
		groupKey: route.coalesce && compileGroupKey(route.coalesce.key),
	}));
}

/** The profile and the name of a route as one text. Names of profiles hold no slash. */
export const routeIdOf = ({profile, name}: Pick<Route, 'profile' | 'name'>): string =>
	`${profile}/${name}`;

/**
 * Authenticates the sender. Returns the refusal, whose reason only the trace tells, or `undefined` for an authentic request. Then the draft has the delivery identifier: the
 * signed one, or the one from the headers if the signature covers none.
 *
 * @see manual/signatures.md#schemes, manual/receiver.md#order-of-decisions
 */
export function authenticate(
	draft: DeliveryDraft,
	{
		route,
		body,
		path,
	}: {
		readonly route: Route;
		readonly body: Buffer;
		/** The requested path, with its query. */
		readonly path: string;
	},
	services: ReceiverServices,
): Reply | undefined {
	if (route.insecure) {
		const problem = services.isLoopback
			? isFromForeignPage(draft.headers) &&
				'sent by a page in a browser, which is not of this machine'
			: 'the receiver does not listen on loopback';
		if (problem !== false) {
			const detail = `${insecureSecret}: ${problem}`;
			return stop(draft, refusals.signature, {step: 'signature', detail});
		}

		note(draft, 'signature', {verdict: 'skip', detail: insecureSecret});
		nameDraft(draft, headerIdOf(route, draft.headers));
		return undefined;
	}

	const request = {headers: draft.headers, body, query: /\?.*$/.exec(path)?.[0] ?? ''};
	const verdict = verifySignature(route, request, services.clock.now());
	if (!verdict.ok) {
		const others = services.routes().routes.values();
		const reason = services.doctor.explain(request, {route, others, refusal: verdict.detail});
		return stop(draft, refusals.signature, {
			step: 'signature',
			detail: cleanDetail(draft, reason),
		});
	}

	note(draft, 'signature', {verdict: 'pass', detail: verdict.detail});
	if (verdict.scheme === 'v1') {
		services.warnOnce(
			route.name,
			`Route "${route.name}" is signed with X-Webhook-Signature (V1), which has no replay protection and is deprecated: use X-Webhook-Signature-V2`,
		);
	}

	const {signedIdHeader} = verdict;
	draft.hasSignedId = signedIdHeader !== undefined;
	nameDraft(
		draft,
		signedIdHeader === undefined
			? headerIdOf(route, draft.headers)
			: deliveryIdOf(draft.headers, [signedIdHeader]),
	);
	return undefined;
}

/**
 * Counts an authenticated event against the rate limit of its route. Above the limit it returns a 429; with `overflow: queue` the event is accepted, and its run starts later.
 *
 * @see manual/receiver.md#above-the-rate
 */
export async function spendRate(
	draft: DeliveryDraft,
	route: Route,
	{windows, paces}: Pick<Limits, 'windows' | 'paces'>,
): Promise<Reply | undefined> {
	const {rateLimit} = route;
	const key = routeKeyOf(route);
	if (route.overflow === 'queue') {
		const count = await paces.enter(key, rateLimit);
		draft.isAboveRate = count === undefined;
		note(draft, 'rate', {
			verdict: 'pass',
			detail: usageOf(count ?? `more than ${rateLimit}`, rateLimit),
		});
		return undefined;
	}

	const rate = await windows.take(key, rateLimit);
	const detail = usageOf(rate.count, rateLimit);
	if (!rate.ok) {
		const remedy = remedyOf({mode: route.deliverOnly ? 'deliver_only' : 'agent'});
		return stop(draft, rateReply(rate.retryAfterSeconds), {
			step: 'rate',
			detail: `${detail}: lost unless its sender tries again, ${remedy}`,
		});
	}

	note(draft, 'rate', {verdict: 'pass', detail});
	return undefined;
}

const usageOf = (count: number | string, limit: number) => `${count} of ${limit} in this minute`;

/** The key under which rate limits count a route. */
export const routeKeyOf = ({profile, name}: Pick<Route, 'profile' | 'name'>): RouteKey => ({
	profile,
	route: name,
});
