import {createAcceptance, type NewEvent, type Outcome} from './acceptance.ts';
import {readHolders} from './claims.ts';
import type {Transaction} from './database.ts';
import {keepDeliveries} from './deliveries.ts';
import {enqueue} from './enqueue.ts';
import {readPendingGroups, takeGroupNumbers, writeGroups} from './group-steps.ts';
import {noteFired, readQueuedOfJobs} from './jobs.ts';
import type {WaitingReader} from './waiting.ts';

/**
 * Decides on a batch of events and writes what was accepted: four statements, however many there are; groups cost three more, and jobs two. Within a transaction that holds the lock `accept`.
 * The answers, in their order, and how many runs were queued.
 */
export async function acceptAll(
	transaction: Transaction,
	events: readonly NewEvent[],
	readWaiting: WaitingReader,
): Promise<{readonly outcomes: readonly Outcome[]; readonly queued: number}> {
	const {now} = transaction;
	const wanted = events.map(({delivery}) => delivery);
	const acceptance = createAcceptance({
		now,
		holders: await readHolders(transaction, wanted, now),
		waiting: await readWaiting(
			transaction,
			events.map(({maxQueued}) => maxQueued),
		),
		pending: await readPendingGroups(
			transaction,
			events.flatMap(({group}) => group ?? []),
		),
		jobs: await readQueuedOfJobs(
			transaction,
			events.flatMap(({job}) => job ?? []),
		),
	});
	const answers = events.map(event => acceptance.decide(event));

	const {runs, deliveries, fired} = acceptance;
	const groups = [...acceptance.groups];
	const opened = groups.filter(({id}) => id === 0);
	const numbers = await takeGroupNumbers(transaction, opened.length);
	for (const [index, group] of opened.entries()) {
		group.id = numbers[index] ?? 0;
	}

	const queued = runs.map(({of}) => of());
	const ids = queued.length === 0 ? [] : await enqueue(transaction, queued);
	for (const [index, run] of runs.entries()) {
		run.id = ids[index] ?? 0;
	}

	await writeGroups(
		transaction,
		groups.map(({id, waiting, end}) => ({
			...waiting,
			id,
			end: end && {dispatchedAt: now, reason: end.reason, runId: end.run.id},
		})),
	);
	if (deliveries.length > 0) {
		await keepDeliveries(
			transaction,
			deliveries.map(({delivery, work}) => ({delivery, work: work(), claims: true})),
		);
	}

	await noteFired(
		transaction,
		fired.map(({run, ...job}) => ({...job, run: run.id})),
	);
	return {outcomes: answers.map(answer => answer()), queued: runs.length};
}
