import type {RouteView} from '../core/config-view.ts';
import {cell} from '../core/untrusted.ts';
import {
	insecureSecret,
	refusalsOf,
	secretsIn,
	type RouteContext,
	type RouteDraft,
} from './route-refusals.ts';
import type {RawRoute} from './route-schema.ts';
import type {Route, SkippedRoute} from './route.ts';
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

/** The route that is served, defaults filled in and wire names renamed; or every reason why it is not. */
export function resolveRoute(written: WrittenRoute, context: RouteContext): ResolvedRoute {
	const {name, source, raw} = written;
	// A secret that is there but empty inherits nothing.
	const secrets = raw.secret === undefined ? context.secrets : secretsIn(raw.secret);
	const draft: RouteDraft = {name, raw, secrets};
	const refusals = refusalsOf(draft, context);
	return refusals.length === 0
		? {ok: true, route: makeRoute(draft, {source, context})}
		: {
				ok: false,
				refusals: refusals.map(({code, reason}) => ({
					name,
					source,
					code,
					reason,
					view: viewOfDraft(draft, {source, problem: reason}),
				})),
			};
}

function makeRoute(
	{name, raw, secrets}: RouteDraft,
	{source, context}: {readonly source: Route['source']; readonly context: RouteContext},
): Route {
	return {
		name,
		profile: 'default',
		source,
		description: raw.description ?? '',
		events: raw.events ?? [],
		secrets,
		retiredSecrets: [],
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
		...(raw.concurrency && {concurrency: raw.concurrency}),
		overflow: raw.overflow ?? 'reject',
		rateLimit: raw.rate_limit ?? context.rateLimit,
		maxBodyBytes: raw.max_body_bytes ?? context.maxBodyBytes,
		dedupeBody: raw.dedupe_body ?? false,
	};
}

function viewOfDraft(
	{name, raw, secrets}: RouteDraft,
	{source, problem}: {readonly source: Route['source']; readonly problem: string},
): RouteView {
	return {
		name,
		profile: typeof raw.profile === 'string' ? shown(raw.profile) : 'default',
		source,
		description: shown(raw.description ?? ''),
		events: (raw.events ?? []).map(shown),
		deliver: targetOf(raw.deliver),
		mode: modeOf(raw),
		problem,
		insecure: secrets.includes(insecureSecret),
	};
}

function modeOf({deliver_only: deliverOnly, cron_job: cronJob, coalesce}: RawRoute) {
	if (deliverOnly) {
		return 'deliver_only';
	}

	if (cronJob) {
		return 'cron_job';
	}

	return coalesce ? 'coalesce' : 'agent';
}

/** A route as faces see it. */
export const viewOfRoute = ({
	name,
	profile,
	source,
	description,
	events,
	deliver,
	deliverOnly,
	insecure,
}: Route): RouteView => ({
	name,
	profile,
	source,
	description: shown(description),
	events: events.map(shown),
	deliver,
	mode: deliverOnly ? 'deliver_only' : 'agent',
	insecure,
});

const longestShown = 200;

const shown = (text: string): string => cell(text, longestShown).text;
