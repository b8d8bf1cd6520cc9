import {coalesceOf} from './coalesce-schema.ts';
import {defaultProfile} from './home-paths.ts';
import {servedProfile} from './profile-binding.ts';
import {
	insecureSecret,
	refusalsOf,
	secretsIn,
	type Refusal,
	type RouteContext,
	type RouteDraft,
} from './route-refusals.ts';
import type {RawRoute} from './route-schema.ts';
import {viewOfRefused} from './route-view.ts';
import type {Route, SkippedRoute} from './route.ts';
import {signatureOf} from './signature-schema.ts';
import {targetOf} from './targets.ts';

const secondMs = 1000;

/** A route as it was written, already checked by its schema, references in its secrets resolved. */
export type WrittenRoute = {
	readonly name: string;
	readonly source: Route['source'];
	readonly raw: RawRoute;
};

export type ResolvedRoute =
	| {readonly ok: true; readonly route: Route}
	| {readonly ok: false; readonly refusals: readonly SkippedRoute[]};

/** Code of a route that is sound and bound to a profile that this gateway does not serve. It is skipped; nothing is refused for it. */
export const profileNotServed = 'profile_not_served';

/** The route that is served, defaults filled in and wire names renamed; or every reason why it is not. */
export function resolveRoute(written: WrittenRoute, context: RouteContext): ResolvedRoute {
	const {name, source, raw} = written;
	// A secret that is there but empty inherits nothing.
	const secrets = raw.secret === undefined ? context.secrets : secretsIn(raw.secret);
	const draft: RouteDraft = {name, raw, secrets};
	const refusals = refusalsOf(draft, context);
	const profile = servedProfile(raw.profile, context);
	if (refusals.length === 0 && profile !== undefined) {
		return {ok: true, route: makeRoute(draft, {source, profile, context})};
	}

	const reasons = refusals.length > 0 ? refusals : [notServed(draft, context)];
	return {
		ok: false,
		refusals: reasons.map(({code, reason}) => ({
			name,
			source,
			code,
			reason,
			view: viewOfRefused(draft, {source, problem: reason}),
		})),
	};
}

const notServed = ({name, raw}: RouteDraft, {profile}: RouteContext): Refusal => ({
	code: profileNotServed,
	reason: `Route "${name}" is bound to profile "${String(raw.profile)}": ${
		profile === defaultProfile
			? 'set gateway.multiplex_profiles to serve it'
			: `this gateway serves "${profile}" alone`
	}`,
});

function makeRoute(
	{name, raw, secrets}: RouteDraft,
	{
		source,
		profile,
		context,
	}: {
		readonly source: Route['source'];
		readonly profile: string;
		readonly context: RouteContext;
	},
): Route {
	const signature = signatureOf(raw.signature);
	const coalesce = coalesceOf(raw.coalesce);
	return {
		name,
		profile,
		source,
		description: raw.description ?? '',
		events: raw.events ?? [],
		secrets,
		retiredSecrets: retiredIn(raw),
		...(signature && {signature}),
		insecure: secrets.includes(insecureSecret),
		...(typeof raw.prompt === 'string' && {prompt: raw.prompt}),
		filters: [raw.filters ?? []].flat(),
		...(raw.script && {script: raw.script}),
		scriptTimeoutMs: (raw.script_timeout_seconds ?? 30) * secondMs,
		retryOnScriptFailure: raw.retry_on_script_failure ?? false,
		skills: raw.skills ?? [],
		...(raw.toolsets && {toolsets: raw.toolsets}),
		deliver: targetOf(raw.deliver),
		deliverExtra: raw.deliver_extra ?? {},
		deliverOnly: raw.deliver_only ?? false,
		mirrorToSession: raw.mirror_to_session === true,
		...(coalesce && {coalesce}),
		...(raw.cron_job && {cronJob: raw.cron_job}),
		...(raw.concurrency && {concurrency: raw.concurrency}),
		overflow: raw.overflow ?? 'reject',
		rateLimit: raw.rate_limit ?? context.rateLimit,
		maxBodyBytes: raw.max_body_bytes ?? context.maxBodyBytes,
		dedupeBody: raw.dedupe_body ?? false,
	};
}

/** What was no secret never becomes one: blank texts, and the literal that switches validation off. */
const retiredIn = ({retired_secrets: retired}: RawRoute): Route['retiredSecrets'] =>
	(retired ?? [])
		.filter(({secret}) => secret.trim() !== '' && secret !== insecureSecret)
		.map(({secret, until}) => ({secret, until: Date.parse(until)}));
