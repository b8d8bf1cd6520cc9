import {integerOf} from '../columns.ts';
import type {NewRun} from '../due-queue.ts';
import type {SqlValue, Transaction} from './database.ts';
import type {PostgresParts} from './parts.ts';

/** The lane of a run, as stored in its column. */
export const laneOf = (
	profile: string,
	route: string,
	job: {readonly id: string} | undefined,
): string => JSON.stringify([profile, route, job?.id ?? null]);

type Column = readonly [
	name: string,
	type: string,
	of: (run: NewRun) => string | number | null | undefined,
];

/** The columns of a new run. */
const columns: readonly Column[] = [
	['delivery', 'bigint', one => one.delivery],
	['profile', 'text', one => one.profile],
	['route', 'text', one => one.route],
	['target', 'text', one => one.target],
	['created_at', 'bigint', one => one.createdAt],
	['due_at', 'bigint', one => one.dueAt],
	['grp', 'bigint', one => one.group?.id],
	['superseded', 'integer', one => one.group?.superseded],
	['job', 'text', one => one.job?.id],
	['job_name', 'text', one => one.job?.name],
	['lane', 'text', one => laneOf(one.profile, one.route, one.job)],
	['conversation', 'text', one => one.turn && JSON.stringify(one.turn.conversation)],
	['subject', 'text', one => one.turn?.plan.subject],
];

const names = columns.map(([name]) => name).join(', ');

/**
 * SQL that numbers new runs in the order of `place` as `new_run`, and writes them as `added_run`; the parameters from `$first` on are `newRunValues`. For the beginning of
 * a statement.
 */
export const withNewRuns = (first: number): string => `new_run as materialized (
		select nextval('run_id_seq') as id, new.*
		from unnest(${columns.map(([, type], index) => `$${first + index}::${type}[]`).join(', ')}) with ordinality as new (${names}, place)
	), added_run as (
		insert into run (id, ${names}, state, is_promised) select id, ${names}, 'queued', (due_at > created_at)::integer from new_run
	)`;

export const newRunValues = (runs: readonly NewRun[]): SqlValue[] =>
	columns.map(([, , of]) => runs.map(run => of(run) ?? null));

const insert = `with ${withNewRuns(1)} select id from new_run order by place`;

/** Queues runs, within a transaction that holds the lock `accept`; resolves with their numbers, in order. The caller enforces the limit of the queue, and writes claims. */
export async function enqueue(
	{query, run}: Transaction,
	runs: readonly NewRun[],
): Promise<readonly number[]> {
	const rows = await query(insert, newRunValues(runs));
	const ids = rows.map(row => integerOf(row['id']));
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

/** Throttle of notes about queued runs, milliseconds: the first is published at once, those of a burst as one. */
const quietMs = 50;

export type QueuedNote = ReturnType<typeof createQueuedNote>;

/** Notifies the other members of queued runs, so that they need not poll constantly. */
export function createQueuedNote({clock, publish}: Pick<PostgresParts, 'clock' | 'publish'>) {
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
