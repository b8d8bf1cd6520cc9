import type {Route} from '../config/route.ts';
import {idempotencyMs} from '../core/delivery.ts';
import type {RunPlan} from '../core/run.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {JobKey} from '../store/job-port.ts';
import {routeKeyOf} from './admission.ts';
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
import {acceptedReply, coalescedReply, type Reply, firedReply, refusals} from './replies.ts';

/**
 * Dispatches an event that passed every check: to a direct delivery, a scheduled job, a group, or an agent run. Rejects when the store cannot be read or
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

/** Not `async`, so that the payload can be garbage-collected during the commit. */
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

/** Whether the events of `route` fire a scheduled job. */
export const isJobRoute = (route: Route): route is JobRoute => route.cronJob !== undefined;

/**
 * Queues one run of the route's `cron_job`, with the rendered prompt as context; target and skills are those of the job, not of the route. If the job cannot be fired, the
 * identifier stays free for a retry. Rejects as `intake.accept` does.
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

/** The text to append to the prompt of the job. */
const contextOf = ({name}: Route, prompt: string): string =>
	`Context from webhook route "${name}":\n${prompt}`;

/** The refusal when the job cannot be fired; an event that was accepted before is still answered as a duplicate. */
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
	/** Most runs of the job that may be queued. */
	readonly maxQueued: number;
	/** The plan of the job; `context` is appended to its prompt after an empty line. */
	readonly planWith: (context: string) => RunPlan;
};

/**
 * Finds the job that `cronJob` names in the profile of the route. Called for each event that passed filters and script, so it must be cheap: it reads at most the metadata
 * (time, size, inode) of one file. `reason`: why there is no job to fire (unknown, ambiguous, paused, invalid), one line for the operator.
 *
 * @see manual/routes.md#keys, manual/receiver.md#order-of-decisions
 */
export type JobOf = (
	route: JobRoute,
) => {readonly ok: true; readonly job: FiringJob} | {readonly ok: false; readonly reason: string};

/**
 * Journals an event above the rate limit of its route (`overflow: queue`), and schedules its run for the next start that the rate allows. An event that joins a group needs no
 * start: it runs with its group. Rejects as `journalEvent` does.
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

	// Duplicates are answered first: they must not use up a start and so delay other events.
	const holder = await intake.holderOf(duplicateKeyOf(named), idempotencyMs);
	if (holder !== undefined) {
		return duplicateOf(named, holder);
	}

	const start = await limits.paces.promise(routeKeyOf(route), route.rateLimit);
	// Rounded up, so that fractions of milliseconds do not add up to an early start.
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
