import type {DatabaseSync} from 'node:sqlite';
import type {RunState} from '../core/run.ts';
import {integerOf, textOf} from './columns.ts';
import type {Memory} from './transaction.ts';

/**
 * What the store knows without asking the disk. Writes change it inside their transaction; `save` gives the way back for a
 * transaction that fails. This process is the only writer, so the numbers are exact.
 */
export type Counters = Memory & {
	/** Runs that wait for the agent. */
	queued: number;
	/** Runs that are `running` or `delivering`. */
	active: number;
	/** The greatest run number that was given out. */
	lastRun: number;
	/** Bytes of all bodies that are kept. */
	bodyBytes: number;
	/** Rows of deliveries and of runs. */
	deliveries: number;
	runs: number;
	/** Says that a run went from one state to another; `undefined` is: did not exist. */
	moved(from: RunState | undefined, to: RunState): void;
};

/** Reads the numbers from disk once. */
export function createCounters(database: DatabaseSync): Counters {
	const update = database.prepare(
		'update usage set body_bytes = ?, deliveries = ?, runs = ? where id = 1',
	);
	const perState = new Map(
		database
			.prepare(
				`select state, count(*) as count from (
					select state from run indexed by run_waiting where due_at is not null
					union all
					select state from run indexed by run_leased where finished_at is null and due_at is null
				) group by state`,
			)
			.all()
			.map(row => [textOf(row['state']), integerOf(row['count'])]),
	);
	const newest = database.prepare('select max(id) as id from run').get();
	const usage = database
		.prepare('select body_bytes, deliveries, runs from usage where id = 1')
		.get();
	const sums = () => [counters.bodyBytes, counters.deliveries, counters.runs] as const;
	const weigh = (state: RunState | undefined, by: number) => {
		counters.queued += state === 'queued' ? by : 0;
		counters.active += state === 'running' || state === 'delivering' ? by : 0;
	};

	const counters: Counters = {
		queued: perState.get('queued') ?? 0,
		active: (perState.get('running') ?? 0) + (perState.get('delivering') ?? 0),
		lastRun: integerOf(newest?.['id']),
		bodyBytes: integerOf(usage?.['body_bytes']),
		deliveries: integerOf(usage?.['deliveries']),
		runs: integerOf(usage?.['runs']),
		moved(from, to) {
			weigh(from, -1);
			weigh(to, 1);
		},
		save() {
			const {queued, active, lastRun, bodyBytes, deliveries, runs} = counters;
			const before = stored;
			return () => {
				Object.assign(counters, {queued, active, lastRun, bodyBytes, deliveries, runs});
				stored = before;
			};
		},
		persist() {
			const next = sums();
			if (next.some((sum, index) => sum !== stored[index])) {
				update.run(...next);
				stored = next;
			}
		},
		committed() {},
	};

	let stored = sums();
	return counters;
}
