import type {Run, RunPlan} from '../core/run.ts';
import type {DueTimes} from './due-times.ts';
import type {StoreParts} from './parts.ts';

/** A run that is to wait for a worker. Times are milliseconds since 1970. */
export type NewRun = {
	/** Row of the delivery; `null` when a schedule or a person fired a job. */
	readonly delivery: number | null;
	readonly profile: string;
	readonly route: string;
	/** Kind of the target. */
	readonly target: string;
	readonly createdAt: number;
	readonly dueAt: number;
	/** The group that it comes from, and its events but the latest. */
	readonly group?: {readonly id: number; readonly superseded: number};
	readonly job?: {readonly id: string; readonly name: string} | undefined;
	/** The identifier that its event claims; `at` is milliseconds on the clock of the claims. Of a run without group and job. */
	readonly claim?: {readonly deliveryId: string; readonly at: number} | undefined;
	/** Of a turn of a conversation on a platform, which has neither of them. */
	readonly turn?: {
		readonly conversation: NonNullable<Run['conversation']>;
		readonly plan: RunPlan;
	};
};

/** A function that puts a run in the queue, inside a transaction; its number. The bound of the queue is the caller's. */
export function createEnqueue({
	database,
	counters,
	times,
}: Pick<StoreParts, 'counters' | 'database'> & {
	readonly times: DueTimes;
}): (run: NewRun) => number {
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
