import type {Clock} from '../../core/clock.ts';
import {idOfNumber} from '../../core/ids.ts';
import {identifiersOf, rowIdOf} from '../delivery-rows.ts';
import type {Intake} from '../port.ts';
import {createAcceptance, type NewEvent, type AcceptOutcome} from './acceptance.ts';
import {createBatch, createLateBatch} from './batch.ts';
import {giveBackAll, readHolders, reserveAll, withBodies, type Reservation} from './claims.ts';
import type {Transaction} from './database.ts';
import {
	keepDeliveries,
	newDelivery,
	storedKey,
	storedText,
	type KeptDelivery,
} from './deliveries.ts';
import {readPendingGroups, takeGroupNumbers, writeGroups} from './group-steps.ts';
import {noteFired, readQueuedOfJobs} from './jobs.ts';
import type {PostgresParts} from './parts.ts';
import {journalUnavailable} from './postgres-errors.ts';
import type {WaitingReader} from './waiting.ts';

/** Maximum number of calls in one transaction, and maximum total size of their bodies. */
const most = 128;
const mostBytes = 8 * 2 ** 20;

/** `Intake` on PostgreSQL: concurrent calls share one transaction. */
export function createIntake({
	database,
	clock,
	deferred,
	notes,
	queued,
	readWaiting,
}: PostgresParts): Intake {
	// A batch that waits for the lock includes calls that arrive meanwhile. When its transaction has ended, its answers, even that a delivery is a duplicate, are on disk, like
	// everything it has read; a run leased earlier is on disk once its lease is.
	const accept = createLateBatch(
		async (take: () => readonly NewEvent[]) => {
			const accepted = await database.transact(
				async transaction => acceptAll(transaction, take(), readWaiting),
				'accept',
				{syncsUnlocked: true},
			);
			if (accepted.queued > 0) {
				queued.tell();
			}

			return accepted.outcomes;
		},
		{most, name: database.name, weight: {of: ({delivery}) => delivery.bodyBytes, most: mostBytes}},
	);
	const record = createBatch(
		async (kept: readonly KeptDelivery[]) => {
			await database.transact(async transaction => {
				// A caller that did not receive the answer to the commit records again.
				await keepDeliveries(transaction, kept, {isAgain: true});
				const free = kept.filter(({claims}) => !claims).map(({delivery}) => delivery);
				if (free.length > 0) {
					await giveBackAll(transaction, withBodies(free));
				}
			});
			return kept;
		},
		{most, name: database.name, weight: {of: ({delivery}) => delivery.bodyBytes, most: mostBytes}},
	);

	const reserve = createLateBatch(
		async (take: () => readonly Reservation[]) =>
			database.transact(async transaction => reserveAll(transaction, take()), 'accept', {
				syncsUnlocked: true,
			}),
		{most, name: database.name},
	);

	return {
		async accept(entry) {
			const outcome = await accept(newEvent(entry, clock));
			if (outcome.kind === 'failed') {
				throw journalUnavailable(database.name, outcome.error);
			}

			return outcome;
		},
		async holderOf(key, idempotencyMs) {
			const keys = identifiersOf({...storedKey(key), bodyHash: key.bodyHash});
			const holders = await readHolders(
				database,
				keys.map(one => ({row: 0, key: one})),
				database.now(),
			);
			const holder = keys
				.map(one => holders.holderOf(one, idempotencyMs))
				.find(one => one !== undefined);
			if (holder === undefined) {
				return undefined;
			}

			// The identifier must be on disk: a sender that gets this answer does not send again.
			await database.sync();
			return idOfNumber(holder);
		},
		async reserve(delivery, heldMs) {
			const key = storedKey(delivery);
			const [, bodyKey] = identifiersOf({...key, bodyHash: delivery.bodyHash});
			return reserve({key, bodyKey, row: rowIdOf(delivery.id), heldMs});
		},
		async record({delivery, claim, bodyHash}) {
			await record({delivery: newDelivery(delivery, {bodyHash}), work: null, claims: claim});
		},
		note(delivery) {
			const release = notes.take(delivery);
			if (release) {
				const kept = {delivery: newDelivery(delivery), work: null, claims: false};
				deferred.defer(async transaction => keepDeliveries(transaction, [kept]), release);
			}
		},
	};
}

/**
 * Decides on a batch of events and writes the accepted ones: with two concurrent queries, and one statement sent along with the commit, whatever the size of the batch;
 * groups take three more, jobs two. Call it within a transaction that holds the lock `accept`. Resolves with the outcomes, in order, and the number of queued runs.
 */
async function acceptAll(
	transaction: Transaction,
	events: readonly NewEvent[],
	readWaiting: WaitingReader,
): Promise<{readonly outcomes: readonly AcceptOutcome[]; readonly queued: number}> {
	const {now, query, finish} = transaction;
	const wanted = events.map(({delivery}) => delivery);
	const [holders, waiting, pending, jobs] = await Promise.all([
		readHolders(transaction, withBodies(wanted), now),
		readWaiting(
			transaction,
			events.map(({maxQueued}) => maxQueued),
		),
		readPendingGroups(
			transaction,
			events.flatMap(({group}) => group ?? []),
		),
		readQueuedOfJobs(
			transaction,
			events.flatMap(({job}) => job ?? []),
		),
	]);
	const acceptance = createAcceptance({now, holders, waiting, pending, jobs});
	const answers = events.map(event => acceptance.decide(event));

	const {runs, deliveries, fired} = acceptance;
	const groups = [...acceptance.groups];
	const opened = groups.filter(({id}) => id === 0);
	const numbers = await takeGroupNumbers(transaction, opened.length);
	for (const [index, group] of opened.entries()) {
		group.id = numbers[index] ?? 0;
	}

	if (deliveries.length > 0) {
		const queued = new Map(runs.map(run => [run, run.of()]));
		const isLast = groups.length + fired.length === 0;
		const ids = await keepDeliveries(
			{now, query: isLast ? finish : query},
			deliveries.map(({delivery, work: of}) => {
				const work = of();
				return {
					delivery,
					work: typeof work === 'number' ? work : (queued.get(work) ?? null),
					claims: true,
				};
			}),
			{runs: [...queued.values()]},
		);
		for (const [index, run] of runs.entries()) {
			run.id = ids[index] ?? 0;
		}
	}

	await writeGroups(
		transaction,
		groups.map(({id, waiting: group, end}) => ({
			...group,
			id,
			end: end && {dispatchedAt: now, reason: end.reason, runId: end.run.id},
		})),
	);
	await noteFired(
		transaction,
		fired.map(({run, ...job}) => ({...job, run: run.id})),
	);
	return {outcomes: answers.map(answer => answer()), queued: runs.length};
}

/** Converts a promised start to a delay from now: the wall clocks of gateways differ. */
function newEvent(
	{delivery, plan, dueAt, group, bodyHash, ...entry}: Parameters<Intake['accept']>[0],
	clock: Pick<Clock, 'now'>,
): NewEvent {
	const kept = newDelivery(delivery, {plan, bodyHash});
	const {profile, route} = kept.key;
	return {
		...entry,
		delivery: kept,
		event: storedText(delivery.event),
		target: plan.target.kind,
		waitMs: Math.max(0, Math.ceil((dueAt ?? 0) - clock.now())),
		group: group && {profile, route, key: storedText(group.key), window: group},
		job: entry.job,
	};
}
