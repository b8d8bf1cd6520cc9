import type {Clock} from '../core/clock.ts';
import {idempotencyMs} from '../core/delivery.ts';
import type {TraceStep} from '../core/delivery.ts';
import {dueOf} from '../core/group.ts';
import type {Group} from '../core/group.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {Accepted, Intake} from '../store/port.ts';
import {cleanDetail, deliveryOf, note, stop, storedDeliveryOf} from './delivery-draft.ts';
import {duplicateKeyOf, namesOf} from './ready-event.ts';
import type {NamedEvent} from './ready-event.ts';
import {duplicateReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';

type Full = Extract<Accepted, {readonly kind: 'full'}>;

/** Of a refusal because too much waits for its time. */
const maxRetryAfterSeconds = 3600;

/** What is to become of an event that leads to a run. */
export type Commission = {
	readonly work: Pick<Parameters<Intake['accept']>[0], 'plan' | 'dueAt' | 'group' | 'job'>;
	/** The answer once it is on disk. */
	readonly reply: Reply;
	/** What is known of its dispatch before the commit, cleaned, at most `maxBecauseLength` characters: the trace in the journal ends with it. */
	readonly because?: string;
};

/** Leaves room, in a detail of 300 characters, for what came of it. */
export const maxBecauseLength = 230;

/** Where events are kept until their runs have ended. */
export type EventJournal = {
	readonly intake: Intake;
	readonly clock: Clock;
	readonly maxQueued: () => number;
};

/**
 * Hands an event to the journal: duplicate, bounds, group and run are decided in one durable call; the 202 leaves after it.
 * Rejects as `intake.accept` does.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#order-of-decisions
 */
export async function journalEvent(
	named: NamedEvent,
	{work, reply, because}: Commission,
	{intake, clock, maxQueued}: EventJournal,
): Promise<Reply> {
	const {draft} = named;
	// What is written says that the last steps passed: it is written only when they do.
	const delivery = deliveryOf(draft, reply, clock.monotonic());
	const accepted = await intake.accept({
		...work,
		bodyHash: duplicateKeyOf(named).bodyHash,
		delivery: storedDeliveryOf(draft, delivery, lastSteps(because)),
		maxQueued: maxQueued(),
		idempotencyMs,
	});

	const pass = (detail: string) => {
		draft.trace.push(newIdentifier, committed);
		note(draft, 'dispatch', {verdict: 'pass', detail});
	};

	const refuse = (refusal: Reply, detail: string) => {
		draft.trace.push(newIdentifier);
		return stop(draft, refusal, {step: 'dispatch', detail});
	};

	switch (accepted.kind) {
		case 'duplicate':
			return duplicateOf(named, accepted.of, accepted.byBody);
		case 'full':
			return refuse(...fullReply(accepted));
		case 'job-full':
			return refuse(
				refusals.job,
				cleanDetail(draft, `${accepted.queued} runs of job "${work.job?.name}" wait already`),
			);
		case 'coalesced':
			pass(describeGroup(accepted.group));
			return {...reply, joined: accepted};
		case 'accepted':
			pass(withReason(because, `run ${accepted.runId} queued`));
			return {
				...reply,
				runId: accepted.runId,
				...((work.job || work.dueAt !== undefined) && {isMoreThanImplied: true}),
			};
	}
}

/** A sender that is told when a place becomes free need not try before; within an hour it may find another. */
function fullReply({queued, most, freeInMs, ofRoute, awaitLogins}: Full): readonly [Reply, string] {
	const timed = awaitLogins ? 'runs wait for a login' : 'events and runs wait for their time';
	const wait = ofRoute ? 'runs of this route wait' : 'runs wait';
	const detail = `${queued} ${freeInMs === undefined ? wait : timed}, at most ${most} may${ofRoute ? ': what is left of the queue is for other routes' : ''}`;
	if (freeInMs === undefined) {
		return [refusals.queue, detail];
	}

	const retryAfterSeconds = Math.min(Math.max(Math.ceil(freeInMs / 1000), 1), maxRetryAfterSeconds);
	return [{...refusals.queue, retryAfterSeconds}, detail];
}

/** The identifier is taken: the answer to an event that `holder` stands for already. */
export const duplicateOf = (named: NamedEvent, holder: string, byBody?: true): Reply =>
	stop(named.draft, duplicateReply(namesOf(named)), {
		step: 'duplicate',
		detail: byBody ? `same body as delivery ${holder}` : `held by delivery ${holder}`,
	});

/** What is known before the next thing is. */
export const withReason = (because: string | undefined, detail: string): string =>
	because === undefined ? detail : `${because}; ${detail}`;

const newIdentifier = {step: 'duplicate', verdict: 'pass', detail: 'new identifier'} as const;

const committed = {step: 'journal', verdict: 'pass', detail: 'on disk'} as const;

const plainSteps: readonly TraceStep[] = [newIdentifier, committed];

/** Which run or group the event has is stored beside its trace. */
const lastSteps = (because: string | undefined): readonly TraceStep[] =>
	because === undefined
		? plainSteps
		: [...plainSteps, {step: 'dispatch', verdict: 'pass', detail: because}];

const maxKeyLength = 200;

function describeGroup(group: Group): string {
	const seconds = Math.round((dueOf(group).at - group.lastAt) / 100) / 10;
	const name = `group ${group.id} of key "${escapeLine(group.key, maxKeyLength)}"`;
	const joined = group.count === 1 ? `opened ${name}` : `joined ${name} as event ${group.count}`;
	return `${joined}, due in ${seconds} s`;
}
