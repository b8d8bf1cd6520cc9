import type {Approval} from '../core/approval.ts';
import type {RunState} from '../core/run.ts';
import {integerOf, wordOf, type Row} from './columns.ts';

// What every adapter goes by, in one place and without an engine: one may read it row by row, another put it into its own statements. `tests/store/contract.ts` says it once more, in the
// words of the port.

/** Ends of a run that give its identifier free: code hosts keep the identifier when a person redelivers. @see manual/guarantees.md#nothing-accepted-is-lost */
export const givesUpIdentifier: ReadonlySet<RunState> = new Set([
	'failed',
	'dead',
	'cancelled',
	'dropped',
]);

/** Where a run that a person puts back begins again; one that was dropped as before that. The others cannot be. */
export const restarts: Readonly<Partial<Record<RunState, 'queued' | 'delivering'>>> = {
	failed: 'queued',
	interrupted: 'queued',
	cancelled: 'queued',
	dead: 'delivering',
	uncertain: 'delivering',
};

/** No pause between two tries is longer, milliseconds; at opening, what seems longer was written under a clock that has been set back. */
export const maxPauseMs = 3_600_000;

/** Of `maxQueued` places for what waits for its time, those that one route may take: a route that waits for hours takes no place of another. */
export const maxWaitingOfRoute = (maxQueued: number): number =>
	Math.max(1, Math.trunc(maxQueued / 2));

/**
 * Of `maxQueued` places for what waits for a worker, those that one route may take while other routes have `others` of them: of what these leave, all but the last tenth. So a flood of one
 * route never takes the last place of a queue of ten or more.
 */
export const maxQueuedOfRoute = (maxQueued: number, others: number): number => {
	const room = maxQueued - others;
	return room - Math.trunc(room / 10);
};

/** Runs of one job that may be leased at once. */
export const maxLeasesPerJob = 1;

/** Turns of one conversation on a platform that may be leased at once: they follow each other. */
export const maxLeasesPerConversation = 1;

/** The same for all threads of a chat: one person must not take all places. */
export const maxLeasesPerChat = 3;

/** Turns that wait in all threads of one chat. */
export const maxWaitingOfChat = 100;

/** How long the identifier of a message of a platform is remembered, milliseconds. */
export const sameMessageMs = 86_400_000;

/** The newest leases, by which the turns of routes are known: a route without one among them comes first, of several such that with the oldest run. */
export const maxTurns = 10_000;

/** Settled approvals that are kept. */
export const maxSettledApprovals = 5000;

/** Memos of one kind that are kept: the newest. */
export const maxMemos = 10_000;

/** Keys of the chat API that may be in force, and how many of those that were revoked are kept besides. */
export const maxKeys = 1000;

/** Limits of a session of a chat. */
export const maxMessagesOfSession = 1000;
export const maxBytesOfSession = 4 * 2 ** 20;

/** Sessions of a key, or of the person at the terminal, and their bytes; those go first that were used longest ago. */
export const maxSessionsOfOwner = 500;
export const maxBytesOfOwner = 64 * 2 ** 20;

/** Bytes of all sessions together. */
export const maxSessionBytes = 512 * 2 ** 20;

/** An empty session is forgotten after so long. */
export const emptySessionMs = 86_400_000;

/** Rejections that are kept. Ten a second may come, and the retention is applied every few minutes. */
export const maxRejections = 10_000;

/** A run that has lost so many leases may be what ends the gateway: it is not begun again without a person. */
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
