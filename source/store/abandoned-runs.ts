import type {DatabaseSync} from 'node:sqlite';
import type {RunState} from '../core/run.ts';
import {integerOf, textOf, wordOf, type Row} from './columns.ts';
import type {Counters} from './counters.ts';

/** What is known of a run whose worker is gone. */
type Abandoned = {
	readonly state: RunState;
	/** A tool that may change things had started. */
	readonly sideEffect: boolean;
	/** The answer was on its way to its target. */
	readonly deliveryStarted: boolean;
	/** Kind of the target. */
	readonly target: string;
	/** Leases lost so far, this one included. */
	readonly lostLeases: number;
};

export type Fate = 'requeued' | 'interrupted' | 'uncertain';

type Verdict = {readonly fate: 'requeued'} | {readonly fate: EndedFate; readonly error: string};

type EndedFate = Exclude<Fate, 'requeued'>;

/** A run that has lost so many leases may be what ends the gateway: it is not begun again without a person. */
const mostLostLeases = 3;

/**
 * What becomes of a run whose worker is gone. Only what can be repeated without harm is repeated; the rest waits for a person. The
 * log can be written twice.
 * @see Decisions 3, "Nothing accepted is lost"
 */
function fateOf({state, sideEffect, deliveryStarted, target, lostLeases}: Abandoned): Verdict {
	const isDelivering = state === 'delivering';
	if (isDelivering && deliveryStarted && target !== 'log') {
		return {
			fate: 'uncertain',
			error:
				'The gateway lost this run while its answer was being delivered: look whether it arrived',
		};
	}

	if (!isDelivering && sideEffect) {
		return {
			fate: 'interrupted',
			error: 'The gateway lost this run after a tool that may change things had started',
		};
	}

	if (lostLeases < mostLostLeases) {
		return {fate: 'requeued'};
	}

	// An answer that is there is kept for the retry: a run that is interrupted would begin again with the agent.
	return isDelivering
		? {
				fate: 'uncertain',
				error: `The gateway ended or lost this run ${lostLeases} times while it delivered its answer`,
			}
		: {
				fate: 'interrupted',
				error: `The gateway ended or lost this run ${lostLeases} times while it worked on it`,
			};
}

/** A function that gives a leased run its fate, inside a transaction; `undefined` when the run is not leased with `token`. */
export function createAbandon(
	database: DatabaseSync,
	counters: Counters,
): (runId: number, now: number, token?: number) => Fate | undefined {
	const find = database.prepare(
		'select state, side_effect, delivery_started, target, lost_leases, token from run where id = ? and finished_at is null and due_at is null',
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
			counters.moved(abandoned.state, state);
			return verdict.fate;
		}

		finish.run(verdict.fate, now, verdict.error, runId);
		counters.moved(abandoned.state, verdict.fate);
		return verdict.fate;
	};
}

const abandonedOf = (row: Row): Abandoned => ({
	state: wordOf<RunState>(row['state']),
	sideEffect: integerOf(row['side_effect']) === 1,
	deliveryStarted: integerOf(row['delivery_started']) === 1,
	target: textOf(row['target']),
	lostLeases: integerOf(row['lost_leases']) + 1,
});
