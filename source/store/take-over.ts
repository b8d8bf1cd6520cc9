import type {DatabaseSync} from 'node:sqlite';
import type {Approval} from '../core/approval.ts';
import {outlivesGateway} from '../core/approvals/keeper.ts';
import {approvalOfRow, ruleOfRow} from './approvals.ts';
import {integerOf} from './columns.ts';
import {type Counters, routeOf} from './counters.ts';
import type {StoreParts} from './parts.ts';
import {type Fate, fateOf, noFates, shutdownDecision} from './rules.ts';
import type {TakenOver} from './shared-port.ts';

/** What earlier processes left in the database, which has one writer at a time: all but this one are dead. */
export type Left = {
	/** Runs that are leased, each with the token of its lease. */
	readonly runs: ReadonlyArray<{readonly id: number; readonly token: number}>;
	/** Numbers of waiting requests. */
	readonly approvals: readonly number[];
	/** Numbers of rules that do not outlive the gateway that made them. */
	readonly rules: readonly number[];
};

export const nothingLeft: Left = {runs: [], approvals: [], rules: []};

/** Finds what is left, before this process has written anything. `now` is milliseconds since 1970. */
export function findLeft(database: DatabaseSync, now: number): Left {
	const runs = database.prepare(
		'select id, token from run indexed by run_leased where finished_at is null and due_at is null order by id',
	);
	const approvals = database.prepare(
		'select id from approval indexed by approval_waiting where settled_at is null order by id',
	);
	const rules = database.prepare('select id, uses, data from approval_rule').all().map(ruleOfRow);
	return {
		runs: runs.all().map(row => ({id: integerOf(row['id']), token: integerOf(row['token'])})),
		approvals: approvals.all().map(row => integerOf(row['id'])),
		rules: rules.filter(rule => !outlivesGateway(rule, now)).map(({id}) => id),
	};
}

/** Returns a function that takes over what was left, inside a transaction: runs by the rules for lost leases, requests as denied, rules as ended. */
export function createTakeOver({
	database,
	counters,
	approvalSteps: approvals,
	clock,
}: StoreParts): (left: Left) => TakenOver {
	const abandon = createAbandon(database, counters);
	const waiting = database.prepare(
		'select id, data from approval where id = ? and settled_at is null',
	);

	const deny = (id: number): readonly Approval[] => {
		const row = waiting.get(id);
		return row
			? [
					approvals.settle({
						...approvalOfRow(row),
						decision: shutdownDecision(clock.now()),
					}),
				]
			: [];
	};

	return left => {
		const runs = noFates();
		for (const {id, token} of left.runs) {
			const fate = abandon(id, clock.now(), token);
			if (fate !== undefined) {
				runs[fate].push(id);
			}
		}

		approvals.removeRules(left.rules);
		const {failed: _, ...others} = runs;
		return {...others, denied: left.approvals.flatMap(deny)};
	};
}

/** Returns a function that settles a leased run by the rules for lost leases, inside a transaction; `undefined` when the run is not leased with `token`. */
export function createAbandon(
	database: DatabaseSync,
	counters: Counters,
): (runId: number, now: number, token?: number) => Fate | undefined {
	const find = database.prepare(
		'select profile, route, state, side_effect, delivery_started, lost_leases, token, delivery is null and job is null and conversation is null as chat from run where id = ? and finished_at is null and due_at is null',
	);
	// The run keeps its position in the queue, which is by age.
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

		const {fate, from, state, lost, error} = fateOf(row);
		if (fate === 'requeued') {
			requeue.run(state, lost, runId);
		} else {
			finish.run(state, now, error, runId);
		}

		counters.moved(routeOf(row), from, state);
		return fate;
	};
}
