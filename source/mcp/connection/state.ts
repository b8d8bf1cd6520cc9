import {passing, permanent} from '../wire/connect-error.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';

/** What the time of a connection depends on. Milliseconds; absent: never. */
export type ServerSettings = {
	readonly keepaliveMs?: number;
	readonly idleMs?: number;
	readonly lifetimeMs?: number;
};

type Common = {
	/** Since when the status holds. Like every time here: milliseconds of a clock that does not go back. */
	readonly since: number;
	/** Number of the newest connection; counts up. What is said of another one is out of date. */
	readonly connection: number;
	/** Tries in a row that came to nothing: that did not connect, or whose connection was lost before it had been of use. */
	readonly failures: number;
	/** Has been connected since it was configured: it gets more tries. */
	readonly known: boolean;
};

/** Where one server stands. @see core/tool-server.ts for the words */
export type ServerState =
	| (Common & {readonly status: 'skipped' | 'lazy'})
	/** `reason`: why the last try failed. */
	| (Common & {readonly status: 'connecting'; readonly reason?: string})
	| ConnectedState
	| (Common & {readonly status: 'needs login' | 'recycled'; readonly reason: string})
	| (Common & {
			readonly status: 'failed' | 'parked';
			readonly reason: string;
			readonly nextAttemptAt: number;
	  });

export type ConnectedState = Common & {
	readonly status: 'connected';
	/** Calls under way. */
	readonly calls: number;
	/** When the last call ended, or it connected. */
	readonly usedAt: number;
	/** When it last gave an answer. */
	readonly heardAt: number;
	/** A liveness check is under way. */
	readonly checking: boolean;
	/** A check or a call has been answered. */
	readonly proven: boolean;
};

export type ServerEvent =
	/** It is new, or its configuration concerns the connection. `lazy`: its tools are known without one. */
	| {readonly type: 'configured'; readonly enabled: boolean; readonly lazy: boolean}
	/** A call needs a connection. */
	| {readonly type: 'called'}
	/** A person, a login or a changed file wants one now. */
	| {readonly type: 'wanted'}
	/** A person wants it ended. */
	| {readonly type: 'dismissed'}
	| {readonly type: 'connected'; readonly connection: number}
	| {readonly type: 'refused'; readonly connection: number; readonly failure: ConnectFailure}
	/** The connection is of no use any more. */
	| {readonly type: 'lost'; readonly connection: number; readonly failure: ConnectFailure}
	/** One answer will not come; the rest may be well. */
	| {readonly type: 'stream-lost'; readonly connection: number; readonly failure: ConnectFailure}
	| {readonly type: 'call-started'; readonly connection: number}
	/** `answered`: with a result that is no error; one that is may be ours, and proves nothing. */
	| {readonly type: 'call-ended'; readonly connection: number; readonly answered: boolean}
	| {readonly type: 'check-passed'; readonly connection: number}
	| {readonly type: 'check-failed'; readonly connection: number; readonly failure: ConnectFailure}
	/** The time that `wakeAt` named has come. */
	| {readonly type: 'woken'};

/** What the caller has to do. `end` is also for a connection that is still being made. */
export type ServerAction = {
	readonly type: 'connect' | 'end' | 'check';
	readonly connection: number;
};

export type Step = {readonly state: ServerState; readonly actions: readonly ServerAction[]};

/** What a step depends on beside state and event. */
export type StepContext = {
	readonly now: number;
	readonly settings: ServerSettings;
	/** From 0 to 1, 1 excluded. */
	readonly random: () => number;
};

/** Why a server in this state has no connection that a call could use. */
export function whyDisconnected(state: ServerState): ConnectFailure {
	switch (state.status) {
		case 'needs login':
			return {kind: 'needs-login', message: state.reason};
		case 'parked':
		case 'failed':
		case 'recycled':
			return passing(state.reason);
		case 'skipped':
			return permanent('It is switched off');
		case 'lazy':
		case 'connecting':
		case 'connected':
			return passing('The connection was ended');
	}
}
