import {offlineModelName} from '../../agent/offline-model.ts';
import type {Receipt} from '../../delivery/deliverer.ts';
import {DeliveryError} from '../../platforms/delivery-error.ts';
import {defaultTarget, reachesPeople} from '../../platforms/platforms.ts';
import {
	persistently,
	recordEntry,
	settleAborted,
	settleFailure,
	throwIfJournalFailed,
} from './settle-run.ts';
import type {Work} from './work-run.ts';

/** Delivers the answer of the run, and settles the run. Rejects where the journal failed. */
export async function deliverAnswer(work: Work): Promise<void> {
	const {runs, deliverer, clock, lease, signal, settings} = work;
	const {run} = lease;
	if (run.conversation) {
		await work.turns.keep(run);
	}

	// Aborted before the start mark: a delivery that never started is not uncertain.
	const {target} = run.plan;
	const how = {isRepeatable: deliverer.mayRepeat(target.kind)};
	const mark = async () => persistently(work, async () => runs.markDeliveryStarted(lease, how));
	if (signal.aborted || !(await mark()) || !work.isHeld()) {
		await settleAborted(work);
		return;
	}

	await work.announce(work.lease.run.id);
	let receipt: Receipt;
	try {
		receipt = await deliverer.deliver(
			{
				text: run.fullAnswer ?? '',
				target,
				profile: run.profile,
				route: run.route,
				event: run.event,
				...(run.delivery !== undefined && {delivery: run.delivery}),
				...(run.job && {job: run.job}),
				runId: run.id,
				...(run.plan.again !== undefined && {again: run.plan.again}),
				...(run.startedAt !== undefined && {startedAt: run.startedAt}),
				...(run.plan.key !== undefined && {key: run.plan.key}),
				...(run.plan.mirrorToSession && {mirrors: true}),
				...(run.conversation && {isWhole: true}),
				offline: run.model === offlineModelName,
			},
			signal,
		);
	} catch (error) {
		throwIfJournalFailed(error);
		const {
			retryable,
			isUncertain,
			retryAfterMs = 0,
		} = error instanceof DeliveryError ? error : {retryable: false, isUncertain: false};
		const waitMs = retryable
			? work.backoffMs(run.deliveryAttempt + 1, settings().deliveryTries)
			: undefined;
		await settleFailure(work, error, {
			waitMs: waitMs && Math.max(waitMs, retryAfterMs),
			last: isUncertain ? 'uncertain' : 'dead',
		});
		// What may have arrived may come back as an event, as an answer does.
		if (isUncertain && reachesPeople(target.kind)) {
			await work.loops.answered(run);
		}

		return;
	}

	if (reachesPeople(target.kind) && !receipt.withheld) {
		await work.loops.answered(run);
	}

	recordEntry(work, {at: clock.now(), kind: 'delivery', text: receipt.summary});
	await persistently(work, async () =>
		runs.settle(lease, {state: 'done', ...(receipt.withheld && {target: defaultTarget})}),
	);
}
