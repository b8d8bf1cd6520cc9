import type {Route} from '../config/route.ts';
import {idempotencyMs} from '../core/delivery.ts';
import {duplicateOf, journalEvent, longestBecause} from './journal-event.ts';
import {journalOverflow} from './overflow.ts';
import type {PipelineParts} from './pipeline-parts.ts';
import {keyOf, namesOf} from './ready-event.ts';
import type {ReadyEvent} from './ready-event.ts';
import {firedReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {cleanDetail, note, stop} from './visit.ts';

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
export async function fireJob(
	ready: ReadyEvent,
	route: JobRoute,
	parts: PipelineParts,
): Promise<Reply> {
	const {visit, prompt} = ready;
	const found = parts.jobOf(route);
	if (!found.ok) {
		return refuse(ready, found.reason, parts);
	}

	const {planWith, ...job} = found.job;
	const commission = {
		work: {plan: planWith(contextOf(route, prompt)), job},
		reply: firedReply(namesOf(ready), route.cronJob),
		because: cleanDetail(visit, `fires job "${job.name}"`, longestBecause),
	};
	return visit.isAboveRate
		? journalOverflow(ready, commission, parts)
		: journalEvent(ready, commission, parts);
}

/** What the job's own prompt is followed by. */
const contextOf = ({name}: Route, prompt: string): string =>
	`Context from webhook route "${name}":\n${prompt}`;

/** An event that was accepted before is a duplicate also while its job cannot be fired. */
async function refuse(ready: ReadyEvent, reason: string, {intake}: PipelineParts): Promise<Reply> {
	const {visit} = ready;
	const holder = await intake.holderOf(keyOf(ready), idempotencyMs);
	if (holder !== undefined) {
		return duplicateOf(ready, holder);
	}

	note(visit, 'duplicate', {verdict: 'pass', detail: 'new identifier'});
	return stop(visit, refusals.job, {step: 'dispatch', detail: cleanDetail(visit, reason)});
}
