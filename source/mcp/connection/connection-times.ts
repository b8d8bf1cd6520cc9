import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ConnectedState, ServerSettings, ServerState} from './state.ts';

/** What the time asks of a connection. */
type Due =
	| {readonly verdict: 'keep'}
	| {readonly verdict: 'check'}
	| {readonly verdict: 'recycle'; readonly reason: string};

/**
 * What is due at `now`. Nothing while a call is under way: a server that works for one may be too busy to answer a check. Age wins over
 * idleness, both win over a check.
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

/** When a server has to be looked at again; `undefined`: when something happens. */
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

/** The times of a server's connection. "HTTP 180; stdio off when omitted". @see manual/tool-servers.md#settings */
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
