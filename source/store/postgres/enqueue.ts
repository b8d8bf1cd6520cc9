import type {Clock} from '../../core/clock.ts';
import {integerOf} from '../columns.ts';
import type {NewRun} from '../run-queue.ts';
import type {StoreNotes} from '../shared-port.ts';
import type {Transaction} from './database.ts';

/** What the leases of a run are counted by, as the column has it. */
export const laneOf = (
	profile: string,
	route: string,
	job: {readonly id: string} | undefined,
): string => JSON.stringify([profile, route, job?.id ?? null]);

/** Puts runs in the queue, within a transaction that holds the lock `accept`; their numbers, in the same order. The bound of the queue is the caller's. A claim is the caller's, too. */
export async function enqueue(
	{query, run}: Transaction,
	runs: readonly NewRun[],
): Promise<readonly number[]> {
	const column = <Value>(of: (run: NewRun) => Value | null | undefined) =>
		runs.map(one => of(one) ?? null);
	const rows = await query(
		`insert into run (
			delivery, profile, route, target, state, created_at, due_at, is_promised, grp, superseded, job, job_name, lane, conversation, subject
		) select delivery, profile, route, target, 'queued', created_at, due_at, (due_at > created_at)::integer, grp, superseded, job, job_name, lane, conversation, subject
		from unnest(
			$1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::integer[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[]
		) with ordinality as new (delivery, profile, route, target, created_at, due_at, grp, superseded, job, job_name, lane, conversation, subject, place)
		order by place returning id`,
		[
			column(one => one.delivery),
			column(one => one.profile),
			column(one => one.route),
			column(one => one.target),
			column(one => one.createdAt),
			column(one => one.dueAt),
			column(one => one.group?.id),
			column(one => one.group?.superseded),
			column(one => one.job?.id),
			column(one => one.job?.name),
			column(one => laneOf(one.profile, one.route, one.job)),
			column(one => one.turn && JSON.stringify(one.turn.conversation)),
			column(one => one.turn?.plan.subject),
		],
	);
	// The sequence counts in the order of the rows.
	const ids = rows.map(row => integerOf(row['id'])).toSorted((a, b) => a - b);
	const turns = runs.flatMap(({turn}, index) =>
		turn ? [{id: ids[index] ?? 0, plan: JSON.stringify(turn.plan)}] : [],
	);
	if (turns.length > 0) {
		await run(
			"insert into job_run (run, event, plan) select id, 'chat', plan from unnest($1::bigint[], $2::text[]) as turn (id, plan)",
			[turns.map(({id}) => id), turns.map(({plan}) => plan)],
		);
	}

	return ids;
}

/** Tells the other members that runs were queued, so that they need not look every moment. */
export type QueuedNote = Disposable & {
	tell(): void;
};

/** Notes of queued runs are so far apart, milliseconds: the first is told at once, and those of a burst together. */
const quietMs = 50;

export function createQueuedNote({
	clock,
	publish,
}: {
	readonly clock: Clock;
	readonly publish: StoreNotes['publish'];
}): QueuedNote {
	let isWanted = false;
	let isClosed = false;
	let cancel: (() => void) | undefined;
	const tell = () => {
		if (isClosed || cancel) {
			isWanted = true;
			return;
		}

		publish({kind: 'runs-queued'});
		cancel = clock.after(quietMs, () => {
			cancel = undefined;
			if (isWanted) {
				isWanted = false;
				tell();
			}
		});
	};

	return {
		tell,
		[Symbol.dispose]() {
			isClosed = true;
			cancel?.();
			cancel = undefined;
		},
	};
}
