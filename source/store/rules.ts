import type {Approval} from '../core/approval.ts';
import type {RunState} from '../core/run.ts';
import {integerOf, wordOf, type Row} from './columns.ts';

// Rules for every adapter, independent of the engine: one may apply them row by row, another put them into its statements. `tests/store/contract.ts` tests them through the port.

/** Outcomes of a run that free its identifier: code hosts reuse the identifier when a person redelivers. @see manual/guarantees.md#nothing-accepted-is-lost */
export const givesUpIdentifier: ReadonlySet<RunState> = new Set([
	'failed',
	'dead',
	'cancelled',
	'dropped',
]);

/** The state from which a run continues when a person queues it again; a dropped run as before it was dropped. Runs in other states cannot be queued again. */
export const restarts: Readonly<Partial<Record<RunState, 'queued' | 'delivering'>>> = {
	failed: 'queued',
	interrupted: 'queued',
	cancelled: 'queued',
	dead: 'delivering',
	uncertain: 'delivering',
};

/** Longest delay between two attempts, milliseconds; at opening, a longer one was written before the clock was set back. */
export const maxPauseMs = 3_600_000;

/** Of `maxQueued` places for what waits for a time, those available to one route: a route that waits for hours must leave places to others. */
export const maxWaitingOfRoute = (maxQueued: number): number =>
	Math.max(1, Math.trunc(maxQueued / 2));

/**
 * Of `maxQueued` places for what waits for a worker, those available to one route while other routes have `others` of them: what these leave, minus a tenth. So a flood of
 * one route never takes the last place of a queue of ten or more.
 */
export const maxQueuedOfRoute = (maxQueued: number, others: number): number => {
	const room = maxQueued - others;
	return room - Math.trunc(room / 10);
};

/** Maximum number of leased runs of one job. */
export const maxLeasesPerJob = 1;

/** Maximum number of leased turns of one conversation on a platform: they must be sequential. */
export const maxLeasesPerConversation = 1;

/** The same limit for all threads of a chat: one person must not take all workers. */
export const maxLeasesPerChat = 3;

/** Maximum number of waiting turns in all threads of one chat. */
export const maxWaitingOfChat = 100;

/** How long the identifier of a message of a platform is remembered, milliseconds. */
export const sameMessageMs = 86_400_000;

/** Number of newest leases by which the turns of routes are known: a route without one among them comes first; of several such routes, the one with the oldest run. */
export const maxTurns = 10_000;

/** Maximum number of settled approvals kept. */
export const maxSettledApprovals = 5000;

/** Maximum number of memos kept of one kind: the newest. */
export const maxMemos = 10_000;

/** Maximum number of chat API keys in force, and of ended ones kept besides. */
export const maxKeys = 1000;

/** Limits of a session of a chat. */
export const maxMessagesOfSession = 1000;
export const maxBytesOfSession = 4 * 2 ** 20;

/** Maximum number of sessions of a key, or of the person at the terminal, and their maximum total size, bytes; the least recently used are dropped. */
export const maxSessionsOfOwner = 500;
export const maxBytesOfOwner = 64 * 2 ** 20;

/** Maximum total size of all sessions, bytes. */
export const maxSessionBytes = 512 * 2 ** 20;

/** How long an empty session is kept, milliseconds. */
export const emptySessionMs = 86_400_000;

/** Rejections that are kept. Ten a second may come, and the retention is applied every few minutes. */
export const maxRejections = 10_000;

/** A run that has lost this many leases may be what crashes the gateway: it is not restarted without a person. */
export const maxLostLeases = 3;

/** The decision on a request whose gateway is dead. */
export const shutdownDecision = (at: number): NonNullable<Approval['decision']> => ({
	outcome: 'shutdown',
	at,
	by: 'gateway',
	reason: 'approval_shutdown: the gateway ended while it waited',
});

export type Fate = 'requeued' | 'interrupted' | 'uncertain' | 'failed';

export const noFates = (): Record<Fate, number[]> => ({
	requeued: [],
	interrupted: [],
	uncertain: [],
	failed: [],
});

/**
 * The fate of a run whose worker is gone, from its row of `state, side_effect, delivery_started, lost_leases, chat`. Only what can be repeated safely is repeated; the rest
 * waits for a person. `lost` counts the lost leases, including this one; it is absent for a run that has ended.
 *
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
	// The client of the turn, on an open connection, is gone.
	if (isChat) {
		return ends(
			'failed',
			sideEffect
				? 'The gateway lost this turn of a chat after a tool that may change things had started: look what it did'
				: 'The gateway ended or lost this turn of a chat while it worked on it',
		);
	}

	// The answer was being delivered, in an attempt that may not be repeated.
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
	// An existing answer is kept for a retry: an `interrupted` run would start again with the agent.
	return isDelivering
		? ends('uncertain', `${times} delivered its answer`)
		: ends('interrupted', `${times} worked on it`);
}
