import type {Route} from '../config/route.ts';
import {idempotencyMs} from '../core/delivery.ts';
import {cleanDetail, note, stop} from './delivery-draft.ts';
import {duplicateOf, journalEvent, maxBecauseLength} from './journal-event.ts';
import {journalOverflow} from './overflow.ts';
import {duplicateKeyOf, namesOf, withoutPayload} from './ready-event.ts';
import type {ReadyEvent} from './ready-event.ts';
import type {ReceiverServices} from './receiver-services.ts';
import {firedReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';

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
	const named = withoutPayload(ready);
	return draft.isAboveRate
		? journalOverflow(named, commission, services)
		: journalEvent(named, commission, services);
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
