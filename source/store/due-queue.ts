import type {Clock} from '../core/clock.ts';
import type {Run, RunPlan} from '../core/run.ts';
import type {StoreParts} from './parts.ts';
import type {TimedRun} from './waiting-runs.ts';

/** The due time of the thing with this number. */
type Due = {readonly at: number; readonly id: number};

/** Number of outdated entries, in excess of current ones, at which they are removed. */
const slack = 64;

/**
 * A priority queue of due times, as a binary heap. After a change of its time, the old entry stays until it reaches the top or outdated entries prevail: each call takes
 * logarithmic time.
 */
export function createDueQueue() {
	const times = new Map<number, number>();
	let heap: Due[] = [];

	const swap = (one: number, other: number) => {
		const [a, b] = [heap[one], heap[other]];
		if (a && b) {
			heap[one] = b;
			heap[other] = a;
		}
	};

	const rise = () => {
		for (let index = heap.length - 1; index > 0;) {
			const parent = Math.trunc((index - 1) / 2);
			if (!isBefore(heap[index], heap[parent])) {
				return;
			}

			swap(index, parent);
			index = parent;
		}
	};

	const sink = () => {
		for (let index = 0; ;) {
			const [left, right] = [2 * index + 1, 2 * index + 2];
			const child = isBefore(heap[right], heap[left]) ? right : left;
			if (!isBefore(heap[child], heap[index])) {
				return;
			}

			swap(index, child);
			index = child;
		}
	};

	const dropFirst = () => {
		swap(0, heap.length - 1);
		heap.pop();
		sink();
	};

	return {
		/** Sets when `id` is due; replaces an earlier time. */
		set(id: number, at: number) {
			times.set(id, at);
			if (heap.length > 2 * times.size + slack) {
				// A sorted list is a valid heap.
				heap = [...times].map(([of, due]) => ({id: of, at: due})).toSorted(compare);
				return;
			}

			heap.push({id, at});
			rise();
		},
		delete: (id: number) => times.delete(id),
		/** The entry that is due first; among equal times the one with the lowest number. */
		first(): Due | undefined {
			for (;;) {
				const [first] = heap;
				if (!first || times.get(first.id) === first.at) {
					return first;
				}

				dropFirst();
			}
		},
	};
}

const compare = (a: Due, b: Due): number => a.at - b.at || a.id - b.id;

const isBefore = (a: Due | undefined, b: Due | undefined): boolean =>
	a !== undefined && (b === undefined || compare(a, b) < 0);

/** Smaller shifts, as of slewed clocks, are ignored: they do not affect the order. Milliseconds. */
const toleratedMs = 1000;

export type DueTimes = ReturnType<typeof createDueTimes>;

/** The times of waiting runs, on disk and in memory; to be called inside a transaction. */
export function createDueTimes({
	database,
	timed,
	clock,
}: Pick<StoreParts, 'clock' | 'database' | 'timed'>) {
	const pull = database.prepare('update run set due_at = ?1 where due_at > ?1');
	const move = database.prepare(
		'update run set due_at = ?, created_at = created_at + ? where id = ?',
	);

	return {
		/**
		 * Adjusts the times on disk after the wall clock was set, so that waiting runs keep the rest of their wait and due runs stay before them; then the journal shows when a run
		 * really starts, also to the next process. Call it before times on disk are compared or new ones written.
		 */
		keepUp() {
			const offset = clock.now() - clock.monotonic();
			const byMs = Math.round(offset - timed.offset);
			if (Math.abs(byMs) < toleratedMs) {
				return;
			}

			timed.offset = offset;
			pull.run(clock.now());
			for (const {id, at, isPromised} of timed.all()) {
				// A promised run is recognised by a due time later than its creation.
				move.run(Math.ceil(at + offset), isPromised ? byMs : 0, id);
			}
		},
		/** Adds a run that waits for a time in the future. */
		add(
			{id, profile, route}: Pick<TimedRun, 'id' | 'profile' | 'route'>,
			{
				waitMs,
				...kind
			}: Pick<TimedRun, 'isPromised' | 'isRetry' | 'awaitsLogins'> & {readonly waitMs: number},
		) {
			if (waitMs > 0) {
				timed.put({id, profile, route, at: clock.monotonic() + waitMs, ...kind});
			}
		},
	};
}

export type SteadyClock = ReturnType<typeof createSteadyClock>;

/**
 * A clock that does not jump: the wall clock read once, continued by the monotonic clock. At the start of a wait, note the `offset` of that moment and pass it to `time`,
 * so that times are based on the wall clock at that moment.
 */
export function createSteadyClock(clock: Clock) {
	/** How far the wall clock is ahead of the monotonic one, milliseconds. */
	const offset = () => clock.now() - clock.monotonic();
	/** Whole milliseconds since 1970. */
	const time = (by: number) => Math.round(by + clock.monotonic());
	const first = offset();
	/** Whole milliseconds since 1970, by the wall clock as it was when this clock was made. */
	const now = () => time(first);
	return {offset, time, now};
}

/** A run to be queued. Times are milliseconds since 1970. */
export type NewRun = {
	/** Row of the delivery; `null` when a schedule or a person fired a job. */
	readonly delivery: number | null;
	readonly profile: string;
	readonly route: string;
	/** Kind of the target. */
	readonly target: string;
	readonly createdAt: number;
	readonly dueAt: number;
	/** The group that it comes from, and the number of its events except the latest. */
	readonly group?: {readonly id: number; readonly superseded: number};
	readonly job?: {readonly id: string; readonly name: string} | undefined;
	/** The identifier that the event claims; `at` is milliseconds on the clock of claims. Only for a run without group and job. */
	readonly claim?: {readonly deliveryId: string; readonly at: number} | undefined;
	/** The turn of a conversation on a platform; such a run has neither group nor job. */
	readonly turn?: {
		readonly conversation: NonNullable<Run['conversation']>;
		readonly plan: RunPlan;
	};
};

/** Returns a function that queues a run, inside a transaction, and returns its number. The caller enforces the limit of the queue. */
export function createEnqueue({
	database,
	counters,
	times,
}: Pick<StoreParts, 'counters' | 'database' | 'times'>): (run: NewRun) => number {
	const columns = 'id, delivery, profile, route, target, state, created_at, due_at';
	const insert = database.prepare(
		`insert into run (${columns}, claimed_id, claimed_at) values (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?)`,
	);
	const insertWithOrigin = database.prepare(
		`insert into run (${columns}, grp, superseded, job, job_name) values (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)`,
	);

	const insertTurn = database.prepare(
		`insert into run (${columns}, conversation) values (?, ?, ?, ?, ?, 'queued', ?, ?, ?)`,
	);
	const insertPlan = database.prepare(
		"insert into job_run (run, event, plan) values (?, 'chat', ?)",
	);

	return ({delivery, profile, route, target, createdAt, dueAt, group, job, claim, turn}) => {
		if (dueAt > createdAt) {
			times.keepUp();
		}

		const id = counters.lastRun + 1;
		if (turn) {
			const conversation = JSON.stringify(turn.conversation);
			insertTurn.run(id, delivery, profile, route, target, createdAt, dueAt, conversation);
			insertPlan.run(id, JSON.stringify(turn.plan));
		} else if (group || job) {
			const origin = [group?.id, group?.superseded, job?.id, job?.name].map(value => value ?? null);
			insertWithOrigin.run(id, delivery, profile, route, target, createdAt, dueAt, ...origin);
		} else {
			const claimed = [claim?.deliveryId ?? null, claim?.at ?? null] as const;
			insert.run(id, delivery, profile, route, target, createdAt, dueAt, ...claimed);
		}

		counters.lastRun = id;
		counters.runs += 1;
		counters.moved({profile, route}, undefined, 'queued');
		if (dueAt > createdAt) {
			times.add({id, profile, route}, {waitMs: dueAt - createdAt, isPromised: true});
		}

		return id;
	};
}
