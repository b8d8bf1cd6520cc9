import type {DatabaseSync} from 'node:sqlite';
import type {RunState} from '../core/run.ts';
import {integerOf, wordOf, type Row} from './columns.ts';
import type {Counters} from './counters.ts';
import {routeOf} from './counts-by-route.ts';
import {fateOf, type AbandonedRun, type Fate} from './rules.ts';

/** A function that gives a leased run its fate, inside a transaction; `undefined` when the run is not leased with `token`. */
export function createAbandon(
	database: DatabaseSync,
	counters: Counters,
): (runId: number, now: number, token?: number) => Fate | undefined {
	const find = database.prepare(
		'select profile, route, state, side_effect, delivery_started, lost_leases, token, delivery is null and job is null and conversation is null as chat from run where id = ? and finished_at is null and due_at is null',
	);
	// In the queue it stands where it stood: by its age.
	const requeue = database.prepare(
		'update run set state = ?, due_at = created_at, delivery_started = 0, lost_leases = ? where id = ?',
	);
	const finish = database.prepare(
		'update run set state = ?, finished_at = ?, error = ? where id = ?',
	);

	return (runId, now, token) => {
		const row = find.get(runId);
		if (!row || (token !== undefined && token !== integerOf(row['token']))) {
			return undefined;
		}

		const abandoned = abandonedOf(row);
		const verdict = fateOf(abandoned);
		if (verdict.fate === 'requeued') {
			const state = abandoned.state === 'running' ? 'queued' : abandoned.state;
			requeue.run(state, abandoned.lostLeases, runId);
			counters.moved(routeOf(row), abandoned.state, state);
			return verdict.fate;
		}

		finish.run(verdict.fate, now, verdict.error, runId);
		counters.moved(routeOf(row), abandoned.state, verdict.fate);
		return verdict.fate;
	};
}

/** From a row of `state, side_effect, delivery_started, lost_leases, chat`, with the lease that is lost now. */
export const abandonedOf = (row: Row): AbandonedRun => ({
	state: wordOf<RunState>(row['state']),
	sideEffect: integerOf(row['side_effect']) === 1,
	deliveryStarted: integerOf(row['delivery_started']) === 1,
	lostLeases: integerOf(row['lost_leases']) + 1,
	isChat: integerOf(row['chat']) === 1,
});
