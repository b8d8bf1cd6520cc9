import type {Diagnostic} from '../core/config-view.ts';
import {escapeLine} from '../core/untrusted.ts';
import {placed} from './format-diagnostic.ts';
import {defaultProfile} from './home-paths.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {type KeyPath, membersOf} from './plain-data.ts';
import {boundProfile, servedProfile} from './profiles.ts';
import {
	insecureSecret,
	isSet,
	refusalsOf,
	writtenSecrets,
	type RouteRefusal,
	type RouteContext,
	type RouteCandidate,
} from './route-refusals.ts';
import {routeSettings, type RawRoute, routeSchema} from './route-schema.ts';
import {viewOfRefused} from './route-view.ts';
import type {Route, SkippedRoute} from './route.ts';
import {describeIssues} from './schema-issues.ts';
import {signatureOf} from './signature-schema.ts';

/** A route as written, parsed by its schema, with references in its secrets resolved. */
type WrittenRoute = ReadRoute & {
	readonly name: string;
	readonly source: Route['source'];
	/** Gives a finding within the entry its position. */
	readonly place: (finding: UnplacedDiagnostic) => Diagnostic;
	/** The route in use with this name and source. */
	readonly last?: Route | undefined;
};

export type ResolvedRoute =
	| {readonly ok: true; readonly route: Route}
	| {
			readonly ok: false;
			readonly refusals: readonly SkippedRoute[];
			/** The last good version of an invalid route, which is still served. */
			readonly last?: Route;
	  };

/** Code of a valid route that is bound to a profile which this gateway does not serve. It causes no refusal. */
export const profileNotServed = 'profile_not_served';

/** The route to serve, with defaults and typed names; or all reasons why it cannot be served. */
export function resolveRoute(written: WrittenRoute, context: RouteContext): ResolvedRoute {
	const {name, source, raw, findings} = written;
	// An empty secret does not inherit the global one.
	const secrets = raw.secret === undefined ? context.secrets : writtenSecrets(raw.secret);
	const unread = new Set(findings.map(({path: [key]}) => key));
	const draft: RouteCandidate = {name, raw, secrets, unread};
	const refusals = unread.has(undefined) ? [] : refusalsOf(draft, context);
	const profile = servedProfile(raw.profile, context);
	if (findings.length === 0 && refusals.length === 0 && profile !== undefined) {
		return {ok: true, route: makeRoute(draft, {source, profile, context})};
	}

	const skipped =
		findings.length > 0 || refusals.length > 0 ? undefined : notServed(draft, context);
	const bound = [undefined, 'profile'].some(key => unread.has(key))
		? undefined
		: boundProfile(raw.profile, context);
	const last = skipped ? undefined : lastGood(written.last, {draft, refusals, bound, context});
	return {
		ok: false,
		...(last && {last}),
		refusals: [
			...refusals.filter(({isOfContract}) => isOfContract).map(ofRule('refused')),
			...findings.map(finding => ({
				code: 'entry_invalid',
				kind: 'invalid' as const,
				reason: brokenEntry(name, finding),
				problem: written.place(finding),
			})),
			...refusals.filter(({isOfContract}) => !isOfContract).map(ofRule('invalid')),
			...(skipped ? [ofRule('not-served')(skipped)] : []),
		].map(({code, kind, reason, problem}) => ({
			name,
			source,
			// Only static routes can be `refused` by the contract.
			kind: kind === 'refused' && source === 'dynamic' ? 'invalid' : kind,
			...(bound !== undefined && {profile: bound}),
			code,
			reason,
			problem,
			view: viewOfRefused(draft, {source, problem: placed(problem, reason)}),
		})),
	};

	function ofRule(kind: SkippedRoute['kind']) {
		return ({code, reason, key}: Omit<RouteRefusal, 'isOfContract'>) => ({
			code,
			kind,
			reason,
			problem: written.place({
				path: key === '' ? [] : [key],
				message: reason,
				...(kind === 'not-served' && {severity: 'warning'}),
			}),
		});
	}
}

/** The keys that decide who may send: if one is unreadable, no version of the route is served. */
const accessKeys: readonly KeyPath[number][] = ['secret', 'signature'];
const accessCodes: ReadonlySet<string> = new Set(['secret_invalid', 'signature_invalid']);

/**
 * The last good version of an invalid `draft`, with the present access settings: a revoked secret must not pass. `undefined` if these are unreadable, if the route is now
 * bound to another profile, or if the contract refuses it. Unreadable retired secrets are ignored.
 */
function lastGood(
	last: Route | undefined,
	options: {
		readonly draft: RouteCandidate;
		readonly refusals: readonly RouteRefusal[];
		readonly bound: string | undefined;
		readonly context: RouteContext;
	},
): Route | undefined {
	const {draft, refusals, bound, context} = options;
	if (!last || servedProfile(bound ?? last.profile, context) !== last.profile) {
		return undefined;
	}

	const isAccessRead =
		![undefined, ...accessKeys].some(key => draft.unread.has(key)) &&
		!refusals.some(({code}) => accessCodes.has(code));
	if (!isAccessRead) {
		return undefined;
	}

	const {signature: _, publicUrl, ...rest} = last;
	// The address grants no access, so the old one may stay: signatures that cover it could not be checked without it.
	const keptUrl = draft.unread.has('public_url') || isRefused(refusals, 'public_url');
	const ofLast = refusalsOf(
		{name: last.name, raw: {}, secrets: draft.secrets, unread: new Set()},
		context,
	);
	return ofLast.some(({isOfContract}) => isOfContract)
		? undefined
		: {...rest, ...(keptUrl && publicUrl !== undefined && {publicUrl}), ...accessOf(draft)};
}

const isRefused = (refusals: readonly RouteRefusal[], wanted: string): boolean =>
	refusals.some(({key}) => key === wanted);

/** The sentence about an invalid key; an empty path means the entry itself. */
const brokenEntry = (name: string, {path, message}: UnplacedDiagnostic): string =>
	escapeLine(
		[`Route "${name}" cannot be used:`, path.join('.'), message].filter(Boolean).join(' '),
	);

const notServed = (
	{name, raw}: RouteCandidate,
	{profile}: RouteContext,
): Omit<RouteRefusal, 'isOfContract'> => ({
	code: profileNotServed,
	key: 'profile',
	reason: `Route "${name}" is bound to profile "${String(raw.profile)}": ${
		profile === defaultProfile
			? 'set gateway.multiplex_profiles to serve it'
			: `this gateway serves "${profile}" alone`
	}`,
});

/** The settings of a route that decide who may send. */
function accessOf({
	raw,
	secrets,
}: RouteCandidate): Pick<
	Route,
	'secrets' | 'retiredSecrets' | 'signature' | 'publicUrl' | 'insecure'
> {
	const signature = signatureOf(raw.signature);
	return {
		secrets,
		retiredSecrets: retiredIn(raw),
		...(signature && {signature}),
		...(isSet(raw.public_url) && {publicUrl: raw.public_url}),
		// Within a list, which is an error, `INSECURE_NO_AUTH` does not disable validation.
		insecure: secrets.length === 1 && secrets[0] === insecureSecret,
	};
}

function makeRoute(
	draft: RouteCandidate,
	options: {
		readonly source: Route['source'];
		readonly profile: string;
		readonly context: RouteContext;
	},
): Route {
	const {source, profile, context} = options;
	const {name, raw} = draft;
	return {
		...routeSettings.read({
			...raw,
			rate_limit: raw.rate_limit ?? context.rateLimit,
			max_body_bytes: raw.max_body_bytes ?? context.maxBodyBytes,
		}),
		name,
		profile,
		source,
		...accessOf(draft),
	};
}

/** The retired secrets of a route, without texts that never were secrets: blank ones and `INSECURE_NO_AUTH`. */
const retiredIn = ({retired_secrets: retired}: RawRoute): Route['retiredSecrets'] =>
	(retired ?? [])
		.filter(({secret}) => secret.trim() !== '' && secret !== insecureSecret)
		.map(({secret, until}) => ({secret, until: Date.parse(until)}));

/** An entry as far as it is readable. */
export type ReadRoute = {
	/** The valid keys. */
	readonly raw: RawRoute;
	/** Findings about the other keys; paths start at the entry, the empty path is the entry itself. */
	readonly findings: readonly UnplacedDiagnostic[];
};

/** Reads the entry of a route, leaving out invalid keys. `known`: findings so far; apart from them `entry` is plain data. Unknown keys are ignored. */
export function readRoute(entry: unknown, known: readonly UnplacedDiagnostic[] = []): ReadRoute {
	const rest = withoutKeys(entry, known);
	const parsed = routeSchema.safeParse(rest);
	if (parsed.success) {
		return {raw: parsed.data, findings: known};
	}

	const found = describeIssues(parsed.error.issues, rest);
	return {raw: routeSchema.parse(withoutKeys(rest, found)), findings: [...known, ...found]};
}

/** `entry` without the keys that have findings; empty if a finding is about the entry itself. */
function withoutKeys(entry: unknown, findings: readonly UnplacedDiagnostic[]): unknown {
	const invalid = new Set(findings.map(({path: [key]}) => key));
	if (invalid.size === 0) {
		return entry;
	}

	return invalid.has(undefined)
		? {}
		: Object.fromEntries(membersOf(entry).filter(([key]) => !invalid.has(key)));
}
