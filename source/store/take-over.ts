import type {DatabaseSync} from 'node:sqlite';
import type {Approval} from '../core/approval.ts';
import {outlivesGateway} from '../core/approvals/why-not-covered.ts';
import type {RunState} from '../core/run.ts';
import {approvalOfRow, ruleOfRow} from './approvals.ts';
import {integerOf, wordOf, type Row} from './columns.ts';
import {type Counters, routeOf} from './counters.ts';
import type {StoreParts} from './parts.ts';
import {maxLostLeases} from './rules.ts';
import type {TakenOver} from './shared-port.ts';

/** What the processes before left in the database: it has had one writer at a time, and all but this one are dead. */
export type Left = {
	/** Runs that are leased, each with the token of its lease. */
	readonly runs: ReadonlyArray<{readonly id: number; readonly token: number}>;
	/** Requests that wait for a person, by number. */
	readonly approvals: readonly number[];
	/** Rules that do not outlive the gateway that made them, by number. */
	readonly rules: readonly number[];
};

export const nothingLeft: Left = {runs: [], approvals: [], rules: []};

/** Looks what is left while nothing of this process is in the database yet. `now` is milliseconds since 1970. */
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

/** The decision on a request whose gateway is dead. */
export const shutdownDecision = (at: number): NonNullable<Approval['decision']> => ({
	outcome: 'shutdown',
	at,
	by: 'gateway',
	reason: 'approval_shutdown: the gateway ended while it waited',
});

/** A function that takes over what was left, inside a transaction: runs by the rules of lost leases, requests as denied, rules as ended. */
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

type Fate = 'requeued' | 'interrupted' | 'uncertain' | 'failed';

export const noFates = (): Record<Fate, number[]> => ({
	requeued: [],
	interrupted: [],
	uncertain: [],
	failed: [],
});

/**
 * What becomes of a run whose worker is gone, from a row of `state, side_effect, delivery_started, lost_leases, chat`. Only what can be repeated without harm is repeated; the rest waits for a
 * person. `lost` are the leases lost so far, this one included; of a run that has ended they are not counted.
 * @see manual/guarantees.md#nothing-accepted-is-lost
 */
export function fateOf(row: Row) {
	const from = wordOf<RunState>(row['state']);
	const [sideEffect, deliveryStarted, isChat] = ['side_effect', 'delivery_started', 'chat'].map(
		name => integerOf(row[name]) === 1,
	);
	const lost = integerOf(row['lost_leases']) + 1;
	const isDelivering = from === 'delivering';
	const ends = <Ended extends Exclude<Fate, 'requeued'>>(fate: Ended, error: string) => ({
		fate,
		from,
		state: fate,
		lost: null,
		error,
	});
	// The client of a turn of a chat, at an open connection, has gone.
	if (isChat) {
		return ends(
			'failed',
			sideEffect
				? 'The gateway lost this turn of a chat after a tool that may change things had started: look what it did'
				: 'The gateway ended or lost this turn of a chat while it worked on it',
		);
	}

	// The answer was on its way to its target, on a try that may not be repeated.
	if (isDelivering && deliveryStarted) {
		return ends(
			'uncertain',
			'The gateway lost this run while its answer was being delivered: look whether it arrived',
		);
	}

	if (!isDelivering && sideEffect) {
		return ends(
			'interrupted',
			'The gateway lost this run after a tool that may change things had started',
		);
	}

	if (lost < maxLostLeases) {
		const state: RunState = from === 'running' ? 'queued' : from;
		return {fate: 'requeued' as const, from, state, lost, error: null};
	}

	const times = `The gateway ended or lost this run ${lost} times while it`;
	// An answer that is there is kept for the retry: a run that is interrupted would begin again with the agent.
	return isDelivering
		? ends('uncertain', `${times} delivered its answer`)
		: ends('interrupted', `${times} worked on it`);
}
