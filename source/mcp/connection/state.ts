import {passing, permanent} from '../wire/connect-error.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';

/** The time limits of a connection in milliseconds; absent: unlimited. */
export type ServerSettings = {
	readonly keepaliveMs?: number;
	readonly idleMs?: number;
	readonly lifetimeMs?: number;
};

type Common = {
	/** When the status began. All times are monotonic milliseconds. */
	readonly since: number;
	/** Number of the newest connection, counting up. Events of older ones are ignored. */
	readonly connection: number;
	/** Consecutive failed attempts: those that did not connect, or whose connection was lost before it was of use. */
	readonly failures: number;
	/** The server was connected since it was configured, so gets more attempts. */
	readonly known: boolean;
};

/** The state of one server. @see core/tool-server.ts for the words */
export type ServerState =
	| (Common & {readonly status: 'skipped' | 'lazy'})
	/** `reason`: why the last attempt failed. */
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
	/** The number of calls in progress. */
	readonly calls: number;
	/** When the last call ended, else when it connected. */
	readonly usedAt: number;
	/** When the server last answered. */
	readonly heardAt: number;
	/** A liveness check is under way. */
	readonly checking: boolean;
	/** A check or a call was answered. */
	readonly proven: boolean;
};

export type ServerEvent =
	/** The server is new, or its connection settings changed. `lazy`: its tools are known without connecting. */
	| {readonly type: 'configured'; readonly enabled: boolean; readonly lazy: boolean}
	/** A call needs a connection. */
	| {readonly type: 'called'}
	/** A person, a login or a changed file requests a connection now. */
	| {readonly type: 'wanted'}
	/** A person requests its end. */
	| {readonly type: 'dismissed'}
	| {readonly type: 'connected'; readonly connection: number}
	| {readonly type: 'refused'; readonly connection: number; readonly failure: ConnectFailure}
	/** The connection is unusable. */
	| {readonly type: 'lost'; readonly connection: number; readonly failure: ConnectFailure}
	/** One answer is lost; the connection may still work. */
	| {readonly type: 'stream-lost'; readonly connection: number; readonly failure: ConnectFailure}
	| {readonly type: 'call-started'; readonly connection: number}
	/** `answered`: the result was no error. An error may come from this side, so proves nothing. */
	| {readonly type: 'call-ended'; readonly connection: number; readonly answered: boolean}
	| {readonly type: 'check-passed'; readonly connection: number}
	| {readonly type: 'check-failed'; readonly connection: number; readonly failure: ConnectFailure}
	/** The time given by `wakeAt` has come. */
	| {readonly type: 'woken'};

/** What the caller must do. `end` also applies to a connection being made. */
export type ServerAction = {
	readonly type: 'connect' | 'end' | 'check';
	readonly connection: number;
};

export type Step = {readonly state: ServerState; readonly actions: readonly ServerAction[]};

/** What a step depends on besides state and event. */
export type StepContext = {
	readonly now: number;
	readonly settings: ServerSettings;
	/** From 0 to 1, 1 excluded. */
	readonly random: () => number;
};

/** Why a server in this state has no usable connection. */
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
