import type {RunPlan} from '../core/run.ts';
import {escapeLine} from '../core/untrusted.ts';
import {groupNameOf} from './coalesce-key.ts';
import {cleanDetail} from './delivery-draft.ts';
import {deliverDirectly} from './direct-delivery.ts';
import {fireJob, isJobRoute} from './fire-job.ts';
import {journalEvent, maxBecauseLength} from './journal-event.ts';
import type {Commission} from './journal-event.ts';
import {journalOverflow} from './overflow.ts';
import {namesOf, withoutPayload} from './ready-event.ts';
import type {ReadyEvent} from './ready-event.ts';
import type {ReceiverServices} from './receiver-services.ts';
import {acceptedReply, coalescedReply} from './replies.ts';
import type {Reply} from './replies.ts';

/**
 * What an event that passed every check leads to: a direct delivery, a scheduled job, a place in a group, or an agent run. Rejects when the store cannot be asked or
 * written.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#events-and-identifiers
 */
export async function dispatchEvent(ready: ReadyEvent, services: ReceiverServices): Promise<Reply> {
	const {route, draft} = ready;
	if (route.deliverOnly) {
		return deliverDirectly(ready, services);
	}

	if (isJobRoute(route)) {
		return fireJob(ready, route, services);
	}

	const commission = commissionOf(ready);
	const named = withoutPayload(ready);
	return draft.isAboveRate
		? journalOverflow(named, commission, services)
		: journalEvent(named, commission, services);
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
