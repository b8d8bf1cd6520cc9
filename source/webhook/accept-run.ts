import type {Clock} from '../core/clock.ts';
import {idempotencyMs} from '../core/delivery.ts';
import type {RunPlan} from '../core/run.ts';
import type {Intake} from '../store/port.ts';
import {namesOf} from './ready-event.ts';
import type {ReadyEvent} from './ready-event.ts';
import {acceptedReply, duplicateReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {note, stop, storedDeliveryOf} from './visit.ts';

/**
 * Agent mode: duplicate, queue bound and journal are decided in one durable call; the 202 leaves after it.
 * Rejects as `intake.accept` does.
 *
 * @see Interface 4.2, Decisions 3
 */
export async function acceptRun(
	ready: ReadyEvent,
	{
		intake,
		clock,
		maxQueued,
	}: {readonly intake: Intake; readonly clock: Clock; readonly maxQueued: () => number},
): Promise<Reply> {
	const {visit} = ready;
	const bound = maxQueued();
	const names = namesOf(ready);
	// What is written says that the last steps passed: it is written only when they do.
	const written = storedDeliveryOf(visit, acceptedReply(names), clock.monotonic());
	const accepted = await intake.accept({
		delivery: {...written, trace: [...written.trace, newIdentifier, committed]},
		plan: planOf(ready),
		maxQueued: bound,
		idempotencyMs,
	});

	switch (accepted.kind) {
		case 'duplicate':
			return stop(visit, duplicateReply(names), {
				step: 'duplicate',
				detail: `held by delivery ${accepted.of}`,
			});
		case 'full':
			visit.trace.push(newIdentifier);
			return stop(visit, refusals.queue, {
				step: 'dispatch',
				detail: `${accepted.queued} runs wait, at most ${bound} may`,
			});
		case 'accepted':
			visit.trace.push(newIdentifier, committed);
			note(visit, 'dispatch', {verdict: 'pass', detail: `run ${accepted.runId} queued`});
			return acceptedReply(names, accepted.runId);
	}
}

const newIdentifier = {step: 'duplicate', verdict: 'pass', detail: 'new identifier'} as const;

const committed = {step: 'journal', verdict: 'pass', detail: 'on disk'} as const;

const planOf = ({route, prompt, extra}: ReadyEvent): RunPlan => ({
	prompt,
	target: {kind: route.deliver, extra},
	skills: route.skills,
	...(route.toolsets && {toolsets: route.toolsets}),
	...(route.mirrorToSession && {mirrorToSession: true}),
});
