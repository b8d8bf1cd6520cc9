import type {RouteView} from '../core/config-view.ts';
import {isJsonObject} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import {targetOf} from '../platforms/platforms.ts';
import {defaultProfile} from './home-paths.ts';
import {insecureSecret, isSet, type RouteCandidate} from './route-refusals.ts';
import type {Route} from './route.ts';

/** A route as faces see it. */
export function viewOfRoute(route: Route): RouteView {
	const {name, profile, source, enabled, deliver, coalesce, signature, insecure} = route;
	const {concurrency, overflow, toolsets, prefetch} = route;
	return {
		name,
		profile,
		source,
		description: shown(route.description),
		events: route.events.map(shown),
		deliver,
		mode: modeOf(route.deliverOnly, route.cronJob, coalesce),
		...(!enabled && {paused: true}),
		...jobAndKey(route.cronJob, coalesce?.key),
		...(coalesce && {windowMs: coalesce.windowMs, maxWaitMs: coalesce.maxWaitMs}),
		...(signature && {signature: signature.header ?? signature.kind}),
		...(concurrency !== undefined && {concurrency}),
		...(overflow === 'queue' && {overflow}),
		...(toolsets && {toolsets: toolsets.map(shown)}),
		...(prefetch.length > 0 && {prefetch: [...prefetch]}),
		insecure,
	};
}

/** A route that is not served as written, as faces see it; `problem` is the reason. */
export const viewOfRefused = (
	{name, raw, secrets}: RouteCandidate,
	{source, problem}: {readonly source: Route['source']; readonly problem: string},
): RouteView => ({
	name,
	profile: typeof raw.profile === 'string' ? shown(raw.profile) : defaultProfile,
	source,
	description: shown(raw.description ?? ''),
	events: (raw.events ?? []).map(shown),
	deliver: targetOf(raw.deliver),
	mode: modeOf(raw.deliver_only === true, raw.cron_job, raw.coalesce),
	...(raw.enabled === false && {paused: true}),
	...jobAndKey(raw.cron_job, isJsonObject(raw.coalesce) ? raw.coalesce['key'] : undefined),
	problem,
	insecure: secrets.includes(insecureSecret),
});

function modeOf(deliverOnly: boolean, cronJob: unknown, coalesce: unknown): RouteView['mode'] {
	if (deliverOnly) {
		return 'deliver_only';
	}

	if (isSet(cronJob)) {
		return 'cron_job';
	}

	return isSet(coalesce) ? 'coalesce' : 'agent';
}

const jobAndKey = (cronJob: unknown, key: unknown): Pick<RouteView, 'cronJob' | 'coalesceKey'> => ({
	...(typeof cronJob === 'string' && {cronJob: shown(cronJob)}),
	...(typeof key === 'string' && {coalesceKey: shown(key)}),
});

const maxShownLength = 200;

const shown = (text: string): string => escapeLine(text, maxShownLength);
