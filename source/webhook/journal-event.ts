import {type TraceStep, idempotencyMs} from '../core/delivery.ts';
import {messageOf} from '../core/errors.ts';
import {type Group, dueOf} from '../core/group.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {World} from '../core/world.ts';
import type {Accepted, DeliveryKey, Intake} from '../store/port.ts';
import {
	type NamedEvent,
	type ReceiverServices,
	cleanDetail,
	deliveryOf,
	duplicateKeyOf,
	namesOf,
	note,
	stop,
	storedDeliveryOf,
} from './receive-context.ts';
import {type Reply, duplicateReply, refusals} from './replies.ts';

type Full = Extract<Accepted, {readonly kind: 'full'}>;

/** Longest `Retry-After` for a full queue. */
const maxRetryAfterSeconds = 3600;

/** What to store for an event that leads to a run, and the answer. */
export type Commission = {
	readonly work: Pick<Parameters<Intake['accept']>[0], 'plan' | 'dueAt' | 'group' | 'job'>;
	/** The answer after the commit. */
	readonly reply: Reply;
	/** What is known about the dispatch before the commit; cleaned, at most `maxBecauseLength` characters. It becomes the last detail of the stored trace. */
	readonly because?: string;
};

/** Leaves room for the result of the commit in a detail of 300 characters. */
export const maxBecauseLength = 230;

/**
 * Journals an event. One durable call checks for a duplicate and a full queue, and stores the run or joins the group; the 202 is sent after it. Rejects as `intake.accept`
 * does.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#order-of-decisions
 */
export async function journalEvent(
	named: NamedEvent,
	{work, reply, because}: Commission,
	{intake, clock, maxQueued}: Pick<ReceiverServices, 'intake' | 'clock' | 'maxQueued'>,
): Promise<Reply> {
	const {draft} = named;
	// The stored trace already holds the steps that the commit decides: it is written only if they pass.
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

/** The 503 for a full queue, and the detail of its trace step. `Retry-After` is the time until the queue has room, at most an hour, if that is known. */
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

/** The answer to a duplicate: delivery `holder` already has the identifier or the body of the event. */
export const duplicateOf = (named: NamedEvent, holder: string, byBody?: true): Reply =>
	stop(named.draft, duplicateReply(namesOf(named)), {
		step: 'duplicate',
		detail: byBody ? `same body as delivery ${holder}` : `held by delivery ${holder}`,
	});

/** Joins what was known before the commit with its result. */
export const withReason = (because: string | undefined, detail: string): string =>
	because === undefined ? detail : `${because}; ${detail}`;

const newIdentifier = {step: 'duplicate', verdict: 'pass', detail: 'new identifier'} as const;

const committed = {step: 'journal', verdict: 'pass', detail: 'on disk'} as const;

const plainSteps: readonly TraceStep[] = [newIdentifier, committed];

/** The steps that the commit decides, for the stored trace. They contain no number of a run or group, which is stored beside the trace. */
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

/** Delays before a failed record is tried again, milliseconds. */
const delaysMs = [2000, 10_000, 60_000, 300_000, 900_000] as const;

/** Most records that wait for a retry: each keeps a body in memory. */
const maxWaiting = 64;

type Entry = Parameters<Intake['record']>[0];

type LateRecords = {
	readonly intake: Intake;
	/** Retries all waiting records once, immediately: a store that is closing still writes them. */
	close(): void;
};

/**
 * Wraps an intake, so that results of direct deliveries survive a failing journal. `record` rejects as before, but is tried again after 2 s, 10 s, 1 min, 5 min and 15 min, and
 * before the same identifier is reserved again; until then the identifier stays reserved. At most 64 records wait; further ones are given up.
 *
 * @see manual/receiver.md#answers
 */
export function createLateRecords({
	intake,
	clock,
	log,
}: Pick<World, 'clock' | 'log'> & {readonly intake: Intake}): LateRecords {
	const waiting = new Map<Entry, () => void>();

	const record = async (entry: Entry, onFailure: (reason: string) => void) => {
		const {id: delivery} = entry.delivery;
		try {
			await intake.record(entry);
			log.info('Recorded a delivery that the journal had refused', {delivery});
		} catch (error) {
			onFailure(messageOf(error));
		}
	};

	const giveUp =
		({delivery: {id: delivery}}: Entry) =>
		(reason: string) => {
			log.error(`Cannot record a delivery, its identifier stays taken for the hour: ${reason}`, {
				delivery,
			});
		};

	const plan = (entry: Entry, tries: number, reason: string) => {
		const delayMs = delaysMs[tries];
		if (delayMs === undefined || waiting.size >= maxWaiting) {
			giveUp(entry)(reason);
			return;
		}

		const cancel = clock.after(delayMs, () => {
			waiting.delete(entry);
			void record(entry, failure => plan(entry, tries + 1, failure));
		});
		waiting.set(entry, cancel);
	};

	return {
		intake: {
			...intake,
			async reserve(delivery, keptMs) {
				const late = [...waiting].find(([entry]) => nameOf(entry.delivery) === nameOf(delivery));
				if (late) {
					const [entry, cancel] = late;
					cancel();
					waiting.delete(entry);
					await record(entry, failure => plan(entry, 0, failure));
				}

				return intake.reserve(delivery, keptMs);
			},
			async record(entry) {
				try {
					await intake.record(entry);
				} catch (error) {
					plan(entry, 0, messageOf(error));
					throw error;
				}
			},
		},
		close() {
			for (const [entry, cancel] of waiting) {
				cancel();
				void record(entry, giveUp(entry));
			}

			waiting.clear();
		},
	};
}

/** Unambiguous, since names of profiles and routes hold no space. */
const nameOf = ({profile, route, deliveryId}: DeliveryKey) => `${profile} ${route} ${deliveryId}`;
