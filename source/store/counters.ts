import type {DatabaseSync} from 'node:sqlite';
import type {RunState} from '../core/run.ts';
import {type Row, textOf, integerOf} from './columns.ts';
import type {RouteKey} from './port.ts';
import {createUndo, type Memory} from './transaction.ts';

/** Counts per route. */
export function createCountsByRoute() {
	const counts = new Map<string, number>();
	return {
		add(route: RouteKey, by: number) {
			const name = nameOfRoute(route);
			const count = (counts.get(name) ?? 0) + by;
			if (count === 0) {
				counts.delete(name);
			} else {
				counts.set(name, count);
			}
		},
		of: (route: RouteKey): number => counts.get(nameOfRoute(route)) ?? 0,
	};
}

/** The route of a run's row with `profile` and `route`. */
export const routeOf = (row: Row): RouteKey => ({
	profile: textOf(row['profile']),
	route: textOf(row['route']),
});

/** Unique: names of profiles and routes contain no NUL. */
export const nameOfRoute = ({profile, route}: RouteKey): string => `${profile}\0${route}`;

/**
 * Numbers kept in memory to save reading the disk. Writes change them inside their transaction; `save` returns a function that restores them if the transaction fails. This
 * process is the only writer, so they are exact.
 */
export type Counters = Memory & {
	/** Number of runs that wait for the agent. */
	queued: number;
	/** Number of runs that are `running` or `delivering`. */
	active: number;
	/** The greatest run number assigned so far. */
	lastRun: number;
	/** Total size of all stored bodies, bytes. */
	bodyBytes: number;
	/** Numbers of rows. */
	deliveries: number;
	runs: number;
	/** Number of queued runs of `route`. */
	queuedOf(route: RouteKey): number;
	/** Counts a run of `route` that changed its state; `from` is `undefined` for a new run. */
	moved(route: RouteKey, from: RunState | undefined, to: RunState): void;
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
	const routes = createCountsByRoute();
	for (const row of database
		.prepare(
			`select profile, route, count(*) as count from run indexed by run_waiting where due_at is not null and state = 'queued' group by profile, route`,
		)
		.all()) {
		routes.add(routeOf(row), integerOf(row['count']));
	}

	const {undo, ...memory} = createUndo();
	const newest = database.prepare('select max(id) as id from run').get();
	const usage = database
		.prepare('select body_bytes, deliveries, runs from usage where id = 1')
		.get();
	const sums = () => [counters.bodyBytes, counters.deliveries, counters.runs] as const;
	const weigh = (route: RouteKey, state: RunState | undefined, by: 1 | -1) => {
		if (state === 'queued') {
			counters.queued += by;
			routes.add(route, by);
			undo(() => routes.add(route, -by));
		}

		counters.active += state === 'running' || state === 'delivering' ? by : 0;
	};

	const counters: Counters = {
		queued: perState.get('queued') ?? 0,
		active: (perState.get('running') ?? 0) + (perState.get('delivering') ?? 0),
		lastRun: integerOf(newest?.['id']),
		bodyBytes: integerOf(usage?.['body_bytes']),
		deliveries: integerOf(usage?.['deliveries']),
		runs: integerOf(usage?.['runs']),
		queuedOf: route => routes.of(route),
		moved(route, from, to) {
			weigh(route, from, -1);
			weigh(route, to, 1);
		},
		...memory,
		save() {
			const {queued, active, lastRun, bodyBytes, deliveries, runs} = counters;
			const before = stored;
			const restore = memory.save();
			return () => {
				restore();
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
	};

	let stored = sums();
	return counters;
}
