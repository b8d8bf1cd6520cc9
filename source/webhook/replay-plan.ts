import type {Route} from '../config/route.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {World} from '../core/world.ts';
import {defaultTarget, effectOf, reachesPeople} from '../platforms/platforms.ts';
import {type JobRoute, isJobRoute} from './dispatch-event.ts';
import {headersNotKept} from './filter.ts';
import {groupNameOf} from './group-key.ts';
import {eventOf} from './identity.ts';
import type {KnownEvent} from './pipeline.ts';
import type {ReceiverServices} from './receive-context.ts';
import {parseBody} from './request-content.ts';
import type {RenderContext} from './template.ts';

export type ReplayEffects = {
	readonly route: string;
	/** What would happen: one cleaned line each. */
	readonly effects: readonly string[];
	/** Whether a person must confirm the replay: it reaches people, runs a script, or may pass filters that stopped the event before. */
	readonly needsConfirmation: boolean;
};

type PlanDependencies = Pick<ReceiverServices, 'compile' | 'jobOf'> & Pick<World, 'redact'>;

/** What would happen, and the target of the answer. */
type Outlook = {readonly effects: readonly string[]; readonly target: string};

/** The effects of an event on `route` if its filters and its script pass it unchanged. Changes nothing. */
export function effectsOf(
	{route, body, headers}: KnownEvent,
	dependencies: PlanDependencies,
): ReplayEffects {
	const parsed = parseBody(body, headers);
	const payload = parsed.ok ? parsed.payload : null;
	const event = eventOf(route, {headers, payload}).name;
	const lost = headersNotKept(route, headers);
	if (!route.enabled) {
		return {
			route: route.name,
			effects: [
				'the route is paused: if the event passes the filters, it starts nothing, is answered 503 and kept as paused',
			],
			needsConfirmation: false,
		};
	}

	const {effects, target} = isJobRoute(route)
		? outlookOfJob(route, dependencies)
		: outlookOf(route, {payload, event}, dependencies);

	return {
		route: route.name,
		effects: [
			...(lost.length === 0
				? []
				: [
						`may pass filters that stopped it: they look at headers that were not kept, ${lost.join(', ')}`,
					]),
			...(route.script === undefined ? [] : [`runs the script ${route.script}`]),
			...effects,
		].map(effect => escapeLine(effect, 200)),
		needsConfirmation: reachesPeople(target) || route.script !== undefined || lost.length > 0,
	};
}

function outlookOfJob(route: JobRoute, {jobOf}: PlanDependencies): Outlook {
	const found = jobOf(route);
	if (!found.ok) {
		return {effects: [`fires no job: ${found.reason}`], target: defaultTarget};
	}

	const {name, planWith} = found.job;
	const {target} = planWith('');
	return {
		effects: [`fires the job "${name}"`, effectOf(target)],
		target: target.kind,
	};
}

function outlookOf(
	route: Route,
	context: RenderContext,
	{compile, redact}: PlanDependencies,
): Outlook {
	const {renderExtra, groupKey} = compile(route);
	const answer = effectOf({kind: route.deliver, extra: renderExtra(context)});
	if (route.deliverOnly) {
		return {effects: [answer], target: route.deliver};
	}

	const key = groupKey?.(context);
	const run = key?.ok
		? `coalesces with the group "${groupNameOf(key.text, redact)}" into one agent run`
		: 'starts an agent run';
	return {effects: [run, answer], target: route.deliver};
}
