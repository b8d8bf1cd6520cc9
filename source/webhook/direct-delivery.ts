import {idempotencyMs} from '../core/delivery.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import type {Target} from '../core/run.ts';
import {isUncertain} from '../platforms/delivery-error.ts';
import {duplicateOf} from './journal-event.ts';
import {
	type ReadyEvent,
	type ReceiverServices,
	cleanDetail,
	deliveryOf,
	duplicateKeyOf,
	namesOf,
	note,
	stop,
	storedDeliveryOf,
} from './receive-context.ts';
import {type Reply, deliveredReply, deliveryFailedReply, refusals} from './replies.ts';

/** A rendered message to be delivered without an agent. */
export type DirectMessage = {
	readonly text: string;
	readonly target: Target;
	readonly profile: string;
	readonly route: string;
	readonly event: string;
	/** `Delivery.id`. */
	readonly delivery: string;
	/** The sender's delivery identifier; a retry of the event repeats it. */
	readonly identifier: string;
	/** The pull request or issue of the event; see `subjectOf`. */
	readonly subject?: string;
	/** Set when a person replays the event. */
	readonly isReplay?: true;
	/** Always `false`: the text comes from a template, not from the offline engine. */
	readonly offline: false;
};

/** Delivers one message. Resolves with a one-line summary for people; rejects when the delivery failed. `signal` aborts after 25 s and when the gateway stops. */
export type DeliverDirect = (
	message: DirectMessage,
	signal: AbortSignal,
) => Promise<{readonly summary: string}>;

/** Most time for a delivery: webhook senders wait 5 to 30 s for the HTTP answer. */
const deadlineMs = 25_000;

type DirectDependencies = Pick<
	ReceiverServices,
	'clock' | 'log' | 'intake' | 'mutex' | 'deliver' | 'journalFailing' | 'stopping'
>;

/**
 * Delivers a `deliver_only` event. Reserves its identifier before sending, and releases it only if the message certainly did not arrive. Requests with the same identifier or
 * body run one after the other. Answers 503 while another gateway sends the message, and while the journal fails. Rejects as `intake.reserve` does.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#order-of-decisions
 */
export async function deliverDirectly(
	ready: ReadyEvent,
	dependencies: DirectDependencies,
): Promise<Reply> {
	const key = duplicateKeyOf(ready);
	const reply = await dependencies.mutex.runExclusive(
		`id ${key.profile} ${key.route} ${key.deliveryId}`,
		async () =>
			key.bodyHash === undefined
				? deliverOnce(ready, dependencies)
				: dependencies.mutex.runExclusive(
						`body ${key.profile} ${key.route} ${key.bodyHash}`,
						async () => deliverOnce(ready, dependencies),
					),
	);
	return (
		reply ??
		stop(ready.draft, refusals.busy, {
			step: 'duplicate',
			detail: 'too many requests wait for the same identifier',
		})
	);
}

async function deliverOnce(ready: ReadyEvent, dependencies: DirectDependencies): Promise<Reply> {
	const {intake, journalFailing, log} = dependencies;
	const {draft, route} = ready;
	const names = namesOf(ready);
	// A sent message cannot be recalled: nothing is sent while the journal cannot record it.
	const failure = journalFailing();
	if (failure !== undefined) {
		return stop(draft, refusals.journal, {step: 'journal', detail: cleanDetail(draft, failure)});
	}

	const reserved = await intake.reserve({...duplicateKeyOf(ready), id: draft.id}, idempotencyMs);
	if (reserved.kind === 'duplicate') {
		return duplicateOf(ready, reserved.of, reserved.byBody);
	}

	if (reserved.kind === 'under-way') {
		return stop(draft, refusals.busy, {
			step: 'duplicate',
			detail: `delivery ${reserved.of} of another gateway is being sent`,
		});
	}

	note(draft, 'duplicate', {verdict: 'pass', detail: 'new identifier'});
	const attempt = await tryDelivery(ready, dependencies);
	if (!attempt.ok) {
		log.warn(`Cannot deliver event of route "${route.name}": ${attempt.detail}`, {
			delivery: draft.id,
		});
		const reply = stop(draft, deliveryFailedReply(names), {
			step: 'dispatch',
			detail: cleanDetail(draft, attempt.detail),
		});
		// If the message may have arrived, the identifier stays taken, so that a retry does not send it twice.
		await record(ready, {reply, claim: attempt.isUncertain === true}, dependencies);
		return reply;
	}

	note(draft, 'dispatch', {verdict: 'pass', detail: cleanDetail(draft, attempt.detail)});
	const reply = deliveredReply(names, route.deliver);
	await record(ready, {reply, claim: true}, dependencies);
	return reply;
}

async function tryDelivery(
	{draft, route, event, prompt, extra, subject}: ReadyEvent,
	{clock, deliver, stopping}: DirectDependencies,
): Promise<{readonly ok: boolean; readonly detail: string; readonly isUncertain?: boolean}> {
	const deadline = new AbortController();
	const cancel = clock.after(deadlineMs, () => {
		deadline.abort(new Error(`not done within ${deadlineMs / 1000} s`));
	});
	try {
		const {summary} = await deliver(
			{
				text: prompt,
				target: {kind: route.deliver, extra},
				profile: route.profile,
				route: route.name,
				event,
				delivery: draft.id,
				identifier: draft.deliveryId,
				...(subject !== undefined && {subject}),
				...(draft.replayOf !== undefined && {isReplay: true}),
				...(route.mirrorToSession && {mirrors: true}),
				offline: false,
			},
			AbortSignal.any([deadline.signal, stopping]),
		);
		return {ok: true, detail: summary};
	} catch (error) {
		return {
			ok: false,
			detail: `${codeOf(error)}: ${messageOf(error)}`,
			isUncertain: isUncertain(error),
		};
	} finally {
		cancel();
	}
}

/** Records the result. Never rejects: a failure of the journal is logged, and the answer stays the same. */
async function record(
	ready: ReadyEvent,
	{reply, claim}: {readonly reply: Reply; readonly claim: boolean},
	{intake, clock, log}: DirectDependencies,
): Promise<void> {
	const {draft, route} = ready;
	try {
		await intake.record({
			bodyHash: duplicateKeyOf(ready).bodyHash,
			delivery: storedDeliveryOf(draft, deliveryOf(draft, reply, clock.monotonic())),
			claim,
		});
		if (claim) {
			note(draft, 'journal', {verdict: 'pass', detail: 'on disk'});
		}
	} catch (error) {
		log.error(`Cannot record delivery of route "${route.name}": ${messageOf(error)}`, {
			delivery: draft.id,
		});
		if (claim) {
			note(draft, 'journal', {
				verdict: 'skip',
				detail: 'not recorded: its identifier stays taken',
			});
		}
	}
}
