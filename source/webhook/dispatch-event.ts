import type {RunPlan} from '../core/run.ts';
import {cell} from '../core/untrusted.ts';
import {groupNameOf} from './coalesce-key.ts';
import {deliverDirectly} from './direct-delivery.ts';
import {fireJob, isJobRoute} from './fire-job.ts';
import {journalEvent, longestBecause} from './journal-event.ts';
import type {Commission} from './journal-event.ts';
import {journalOverflow} from './overflow.ts';
import type {PipelineParts} from './pipeline-parts.ts';
import {namesOf} from './ready-event.ts';
import type {ReadyEvent} from './ready-event.ts';
import {acceptedReply, coalescedReply} from './replies.ts';
import type {Reply} from './replies.ts';
import {cleanDetail} from './visit.ts';

/**
 * What an event that passed every check leads to: a direct delivery, a scheduled job, a place in a group, or an agent run. Rejects when the store cannot be asked or
 * written.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#events-and-identifiers
 */
export async function dispatchEvent(ready: ReadyEvent, parts: PipelineParts): Promise<Reply> {
	const {route, visit} = ready;
	if (route.deliverOnly) {
		return deliverDirectly(ready, parts);
	}

	if (isJobRoute(route)) {
		return fireJob(ready, route, parts);
	}

	const commission = commissionOf(ready);
	return visit.isAboveRate
		? journalOverflow(ready, commission, parts)
		: journalEvent(ready, commission, parts);
}

function commissionOf(ready: ReadyEvent): Commission {
	const {visit, route, compiled, context} = ready;
	const plan = planOf(ready);
	const names = namesOf(ready);
	if (!route.coalesce || !compiled.groupKey) {
		return {work: {plan}, reply: acceptedReply(names)};
	}

	const key = compiled.groupKey(context);
	if (!key.ok) {
		const because = cleanDetail(visit, `key missing: ${key.missing.join(' ')}`, longestBecause);
		return {work: {plan}, reply: acceptedReply(names), because};
	}

	const {windowMs, maxWaitMs} = route.coalesce;
	const group = {key: groupNameOf(key.text, visit.redact), windowMs, maxWaitMs};
	const because = cell(`joins the group of key "${group.key}"`, longestBecause).text;
	return {work: {plan, group}, reply: coalescedReply(names), because};
}

const planOf = ({route, prompt, extra}: ReadyEvent): RunPlan => ({
	prompt,
	target: {kind: route.deliver, extra},
	skills: route.skills,
	...(route.toolsets && {toolsets: route.toolsets}),
	...(route.mirrorToSession && {mirrorToSession: true}),
});
