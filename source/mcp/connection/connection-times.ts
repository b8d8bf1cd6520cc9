import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ConnectedState, ServerSettings, ServerState} from './state.ts';

/** The action that is due on a connection. */
type Due =
	| {readonly verdict: 'keep'}
	| {readonly verdict: 'check'}
	| {readonly verdict: 'recycle'; readonly reason: string};

/**
 * The action due at `now`. None during a call: a busy server may not answer a check. Maximum age precedes idleness, and both precede a check.
 *
 * @see manual/tool-servers.md#settings
 */
export function dueActionOf(state: ConnectedState, settings: ServerSettings, now: number): Due {
	const {lifetimeMs, idleMs} = settings;
	const times = timesOf(state, settings);
	if (lifetimeMs !== undefined && now >= times.ageAt) {
		return {verdict: 'recycle', reason: `ended at the age of ${seconds(lifetimeMs)}`};
	}

	if (idleMs !== undefined && now >= times.idleAt) {
		return {verdict: 'recycle', reason: `ended after ${seconds(idleMs)} without a call`};
	}

	return {verdict: now >= times.checkAt ? 'check' : 'keep'};
}

/** When to examine a server again; `undefined`: at the next event. */
export function wakeAt(state: ServerState, settings: ServerSettings): number | undefined {
	switch (state.status) {
		case 'failed':
		case 'parked':
			return state.nextAttemptAt;

		case 'connected': {
			const {ageAt, idleAt, checkAt} = timesOf(state, settings);
			const first = Math.min(ageAt, idleAt, checkAt);
			return first === Infinity ? undefined : first;
		}

		case 'skipped':
		case 'lazy':
		case 'connecting':
		case 'needs login':
		case 'recycled':
			return undefined;
	}
}

function timesOf(state: ConnectedState, settings: ServerSettings) {
	const busy = state.calls > 0;
	const at = (start: number, after: number | undefined) =>
		after === undefined || busy ? Infinity : start + after;
	return {
		ageAt: at(state.since, settings.lifetimeMs),
		idleAt: at(state.usedAt, settings.idleMs),
		checkAt: state.checking ? Infinity : at(state.heardAt, settings.keepaliveMs),
	};
}

const seconds = (ms: number): string => `${ms / 1000} s`;

const remoteKeepaliveMs = 180_000;

/** The time limits of a server's connection. "HTTP 180; stdio off when omitted". @see manual/tool-servers.md#settings */
export function connectionSettings({endpoint, keepaliveMs}: ToolServerConfig): ServerSettings {
	if (endpoint.transport !== 'stdio') {
		return {keepaliveMs: keepaliveMs ?? remoteKeepaliveMs};
	}

	const {idleMs, lifetimeMs} = endpoint;
	return {
		...(keepaliveMs === undefined ? {} : {keepaliveMs}),
		...(idleMs === undefined ? {} : {idleMs}),
		...(lifetimeMs === undefined ? {} : {lifetimeMs}),
	};
}
