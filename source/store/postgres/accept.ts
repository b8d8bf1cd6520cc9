import {createAcceptance, type NewEvent, type Outcome} from './acceptance.ts';
import {readHolders, withBodies} from './claims.ts';
import type {Transaction} from './database.ts';
import {keepDeliveries} from './deliveries.ts';
import {readPendingGroups, takeGroupNumbers, writeGroups} from './group-steps.ts';
import {noteFired, readQueuedOfJobs} from './jobs.ts';
import type {WaitingReader} from './waiting.ts';

/**
 * Decides on a batch of events and writes what was accepted: two questions that are asked at once, and one statement that is sent with the commit, however many there are; groups cost three more, and jobs two.
 * Within a transaction that holds the lock `accept`. The answers, in their order, and how many runs were queued.
 */
export async function acceptAll(
	transaction: Transaction,
	events: readonly NewEvent[],
	readWaiting: WaitingReader,
): Promise<{readonly outcomes: readonly Outcome[]; readonly queued: number}> {
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
