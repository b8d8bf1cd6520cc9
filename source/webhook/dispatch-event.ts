import type {Route} from '../config/route.ts';
import {idempotencyMs} from '../core/delivery.ts';
import type {RunPlan} from '../core/run.ts';
import {remedyOf} from '../core/traffic.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {JobKey} from '../store/job-port.ts';
import type {Limits} from '../store/limits/port.ts';
import type {RouteKey} from '../store/port.ts';
import {deliverDirectly} from './direct-delivery.ts';
import {groupNameOf} from './group-key.ts';
import {
	journalEvent,
	maxBecauseLength,
	type Commission,
	duplicateOf,
	withReason,
} from './journal-event.ts';
import {
	type DeliveryDraft,
	type NamedEvent,
	type ReadyEvent,
	type ReceiverServices,
	cleanDetail,
	duplicateKeyOf,
	namesOf,
	note,
	renote,
	stop,
	withoutPayload,
} from './receive-context.ts';
import {
	acceptedReply,
	coalescedReply,
	type Reply,
	firedReply,
	refusals,
	rateReply,
} from './replies.ts';

/**
 * What an event that passed every check leads to: a direct delivery, a scheduled job, a place in a group, or an agent run. Rejects when the store cannot be asked or
 * written.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#events-and-identifiers
 */
export async function dispatchEvent(ready: ReadyEvent, services: ReceiverServices): Promise<Reply> {
	const {route} = ready;
	if (route.deliverOnly) {
		return deliverDirectly(ready, services);
	}

	if (isJobRoute(route)) {
		return fireJob(ready, route, services);
	}

	return journal(ready, commissionOf(ready), services);
}

/** Nothing here waits, so that the payload is free before the commit. */
function journal(
	ready: ReadyEvent,
	commission: Commission,
	services: ReceiverServices,
): Promise<Reply> {
	const write = ready.draft.isAboveRate ? journalOverflow : journalEvent;
	return write(withoutPayload(ready), commission, services);
}

function commissionOf(ready: ReadyEvent): Commission {
	const {draft, route, compiled, context} = ready;
	const plan = planOf(ready);
	const names = namesOf(ready);
	if (!route.coalesce || !compiled.groupKey) {
		return {work: {plan}, reply: acceptedReply(names)};
	}

	const key = compiled.groupKey(context);
	if (!key.ok) {
		const because = cleanDetail(draft, `key missing: ${key.missing.join(' ')}`, maxBecauseLength);
		return {work: {plan}, reply: acceptedReply(names), because};
	}

	const {windowMs, maxWaitMs} = route.coalesce;
	const group = {key: groupNameOf(key.text, draft.redact), windowMs, maxWaitMs};
	const because = escapeLine(`joins the group of key "${group.key}"`, maxBecauseLength);
	return {work: {plan: {...plan, key: group.key}, group}, reply: coalescedReply(names), because};
}

const planOf = ({
	route,
	prompt,
	read,
	extra,
	subject,
	repository,
	prefetch,
}: ReadyEvent): RunPlan => ({
	prompt,
	read,
	target: {kind: route.deliver, extra},
	skills: route.skills,
	...(subject !== undefined && {subject}),
	...(repository !== undefined && {repository}),
	...(route.toolsets && {toolsets: route.toolsets}),
	...(route.mirrorToSession && {mirrorToSession: true}),
	...(prefetch && {prefetch}),
});

/** A route whose events fire a scheduled job. */
export type JobRoute = Route & {readonly cronJob: string};

/** Whether each event of `route` fires a scheduled job. */
export const isJobRoute = (route: Route): route is JobRoute => route.cronJob !== undefined;

/**
 * `cron_job`: the job runs with the rendered prompt as its context of this one run; what the route itself says of delivery and skills does not count. A job that cannot be
 * fired takes no identifier. Rejects as `intake.accept` does.
 *
 * @see manual/routes.md#keys, manual/receiver.md#answers, manual/receiver.md#order-of-decisions
 */
async function fireJob(
	ready: ReadyEvent,
	route: JobRoute,
	services: ReceiverServices,
): Promise<Reply> {
	const {draft, prompt, read, subject} = ready;
	const found = services.jobOf(route);
	if (!found.ok) {
		return refuse(ready, found.reason, services);
	}

	const {planWith, ...job} = found.job;
	const commission = {
		work: {
			plan: {...planWith(contextOf(route, prompt)), read, ...(subject !== undefined && {subject})},
			job,
		},
		reply: firedReply(namesOf(ready), route.cronJob),
		because: cleanDetail(draft, `fires job "${job.name}"`, maxBecauseLength),
	};
	return journal(ready, commission, services);
}

/** What the job's own prompt is followed by. */
const contextOf = ({name}: Route, prompt: string): string =>
	`Context from webhook route "${name}":\n${prompt}`;

/** An event that was accepted before is a duplicate also while its job cannot be fired. */
async function refuse(
	ready: ReadyEvent,
	reason: string,
	{intake}: ReceiverServices,
): Promise<Reply> {
	const {draft} = ready;
	const holder = await intake.holderOf(duplicateKeyOf(ready), idempotencyMs);
	if (holder !== undefined) {
		return duplicateOf(ready, holder);
	}

	note(draft, 'duplicate', {verdict: 'pass', detail: 'new identifier'});
	return stop(draft, refusals.job, {step: 'dispatch', detail: cleanDetail(draft, reason)});
}

/** A scheduled job that can be fired now. */
export type FiringJob = JobKey & {
	readonly name: string;
	/** Runs of it that may wait. */
	readonly maxQueued: number;
	/** The job's own plan; `context` is appended to its prompt after an empty line. */
	readonly planWith: (context: string) => RunPlan;
};

/**
 * The job that a route's `cronJob` names in the route's profile. Asked for each event, after its filters and its script; asks no disk but the stamp of a file. `reason`
 * is one line for the person at the terminal: unknown, ambiguous, paused, invalid.
 *
 * @see manual/routes.md#keys, manual/receiver.md#order-of-decisions
 */
export type JobOf = (
	route: JobRoute,
) => {readonly ok: true; readonly job: FiringJob} | {readonly ok: false; readonly reason: string};

/**
 * Hands an event above the rate limit of its route to the journal (`overflow: queue`): its run gets the next start that the route's pace allows. An event that
 * waits in a group needs none. Rejects as `journalEvent` does.
 *
 * @see manual/receiver.md#above-the-rate
 */
async function journalOverflow(
	named: NamedEvent,
	commission: Commission,
	dependencies: Pick<ReceiverServices, 'intake' | 'clock' | 'maxQueued' | 'limits'>,
): Promise<Reply> {
	const {intake, clock, limits} = dependencies;
	const {draft, route} = named;
	const above = `more than ${route.rateLimit} in this minute`;
	if (commission.work.group) {
		renote(draft, 'rate', `${above}: waits in its group`);
		return journalEvent(named, commission, dependencies);
	}

	// A sender that repeats itself must not push others back.
	const holder = await intake.holderOf(duplicateKeyOf(named), idempotencyMs);
	if (holder !== undefined) {
		return duplicateOf(named, holder);
	}

	const start = await limits.paces.promise(routeKeyOf(route), route.rateLimit);
	// Never before its place: the parts of a millisecond that a wall clock does not show would add up.
	const dueAt = Math.ceil(clock.now() + start.inMs);
	renote(draft, 'rate', `${above}: its run waits`);
	let reply: Reply | undefined;
	try {
		const work = {...commission.work, dueAt};
		const until = `queued until ${new Date(dueAt).toISOString()}`;
		const because = withReason(commission.because, until);
		reply = await journalEvent(named, {...commission, work, because}, dependencies);
		return reply;
	} finally {
		if (reply?.outcome === 'accepted') {
			await start.keep();
		} else {
			await start.giveBack();
		}
	}
}

/**
 * Spends the route's quota of this minute on an event whose sender is known. The answer when there is nothing left to spend; a route whose overflow is queued goes on, and is
 * told later when its run starts.
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

/** The route as its limits know it. */
export const routeKeyOf = ({profile, name}: Pick<Route, 'profile' | 'name'>): RouteKey => ({
	profile,
	route: name,
});
