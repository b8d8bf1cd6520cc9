import type {ConnectFailure} from '../wire/open-transport.ts';
import {dueActionOf} from './connection-times.ts';
import type {
	ConnectedState,
	ServerAction,
	ServerEvent,
	ServerState,
	Step,
	StepContext,
} from './state.ts';

/** Consecutive attempts before a server is parked: if it never connected, and if it did. */
const firstTries = 3;
const furtherTries = 5;

const firstPauseMs = 1000;
const maxPauseMs = 60_000;

/** How often a parked server is retried. */
const lookMs = 300_000;

/** The state of a server before it is configured. */
export const unconfigured: ServerState = {
	status: 'skipped',
	since: 0,
	connection: 0,
	failures: 0,
	known: false,
};

/**
 * Computes a server's next state and the resulting actions. Pure. At most one connection is open or being made: a step that opens a new one ends the old one
 * first. Events of older connections change nothing.
 *
 * - After a passing failure, retries after a pause that doubles from 1 s to 60 s, minus up to half of it at random; after 3 attempts (5 if it was connected
 * before) the server is parked. A failure that only a person can fix parks it at once. A parked server is retried every 300 s.
 * - Attempts count until a check or a call was answered, so a server that accepts connections and drops them is parked too.
 *
 * @see manual/tool-servers.md#states
 */
export function stepServer(state: ServerState, event: ServerEvent, context: StepContext): Step {
	if ('connection' in event && event.connection !== state.connection) {
		return stay(state);
	}

	switch (event.type) {
		case 'configured':
			return configured(state, event, context);

		case 'called':
		case 'wanted':
			return needed(state, event.type, context);

		case 'dismissed':
			return dismissed(state, context);

		case 'connected':
		case 'refused':
			return state.status === 'connecting' ? attempted(state, event, context) : stay(state);

		case 'lost':
		case 'stream-lost':
		case 'call-started':
		case 'call-ended':
		case 'check-passed':
		case 'check-failed':
			return state.status === 'connected' ? used(state, event, context) : stay(state);

		case 'woken':
			return woken(state, context);
	}
}

type EventOf<T extends ServerEvent['type']> = Extract<ServerEvent, {readonly type: T}>;

const stay = (state: ServerState, ...actions: readonly ServerAction[]): Step => ({state, actions});

const commonOf = ({connection, failures, known}: ServerState, now: number) => ({
	since: now,
	connection,
	failures,
	known,
});

/** Ends the connection that is open or being made. */
const endOf = ({status, connection}: ServerState): readonly ServerAction[] =>
	status === 'connecting' || status === 'connected' ? [{type: 'end', connection}] : [];

const connect = (state: ServerState, {now}: StepContext): Step => {
	const connection = state.connection + 1;
	return {
		state: {
			...commonOf(state, now),
			status: 'connecting',
			connection,
			...('reason' in state && state.reason !== undefined ? {reason: state.reason} : {}),
		},
		actions: [...endOf(state), {type: 'connect', connection}],
	};
};

function configured(
	state: ServerState,
	{enabled, lazy}: EventOf<'configured'>,
	context: StepContext,
): Step {
	const {connection} = state;
	const fresh = {since: context.now, connection, failures: 0, known: false};
	if (enabled && !lazy) {
		const {state: next, actions} = connect({...fresh, status: 'lazy'}, context);
		return stay(next, ...endOf(state), ...actions);
	}

	return stay({...fresh, status: enabled ? 'lazy' : 'skipped'}, ...endOf(state));
}

function needed(state: ServerState, by: 'called' | 'wanted', context: StepContext): Step {
	switch (state.status) {
		case 'lazy':
		case 'recycled':
		case 'failed':
			return connect(state, context);

		// A call must neither wait for a server that was given up, nor hammer it.
		case 'needs login':
		case 'parked':
			return by === 'wanted' ? connect({...state, failures: 0}, context) : stay(state);

		case 'skipped':
		case 'connecting':
		case 'connected':
			return stay(state);
	}
}

const dismissed = (state: ServerState, {now}: StepContext): Step =>
	state.status === 'skipped' || state.status === 'lazy' || state.status === 'recycled'
		? stay(state)
		: stay(
				{...commonOf(state, now), failures: 0, status: 'recycled', reason: 'disconnected by hand'},
				...endOf(state),
			);

const attempted = (
	state: ServerState,
	event: EventOf<'connected' | 'refused'>,
	context: StepContext,
): Step => {
	const {now} = context;
	return event.type === 'refused'
		? failed({...state, failures: state.failures + 1}, event.failure, context)
		: stay({
				...commonOf(state, now),
				known: true,
				status: 'connected',
				calls: 0,
				usedAt: now,
				heardAt: now,
				checking: false,
				proven: false,
			});
};

function used(
	state: ConnectedState,
	event: EventOf<
		'lost' | 'stream-lost' | 'call-started' | 'call-ended' | 'check-passed' | 'check-failed'
	>,
	context: StepContext,
): Step {
	const {now} = context;
	switch (event.type) {
		case 'call-started':
			return stay({...state, calls: state.calls + 1});

		case 'call-ended':
			return stay({
				...state,
				calls: Math.max(0, state.calls - 1),
				usedAt: now,
				...(event.answered ? {heardAt: now, failures: 0, proven: true} : {}),
			});

		case 'check-passed':
			return stay({...state, heardAt: now, failures: 0, proven: true, checking: false});

		// Not while other calls may still be answered; they have their own time limits.
		case 'check-failed':
			return state.calls > 0
				? stay({...state, heardAt: now, checking: false})
				: lost(state, event.failure, context);

		case 'stream-lost':
			return state.calls > 0 ? check(state) : lost(state, event.failure, context);

		case 'lost':
			return lost(state, event.failure, context);
	}
}

const check = (state: ConnectedState): Step =>
	state.checking
		? stay(state)
		: stay({...state, checking: true}, {type: 'check', connection: state.connection});

/** Losing a connection that was of use does not count as an attempt. */
function lost(state: ConnectedState, failure: ConnectFailure, context: StepContext): Step {
	const counted = {...state, failures: state.proven ? 0 : state.failures + 1};
	const {state: next, actions} =
		failure.kind === 'session-expired' && counted.failures === 0
			? connect({...counted, status: 'recycled', reason: failure.message}, context)
			: failed(counted, failure, context);
	return stay(next, ...endOf(state), ...actions);
}

function failed(state: ServerState, {kind, message}: ConnectFailure, context: StepContext): Step {
	const {now, random} = context;
	const common = {...commonOf(state, now), reason: message};
	if (kind === 'needs-login') {
		return stay({...common, status: 'needs login'});
	}

	const tries = state.known ? furtherTries : firstTries;
	if (kind === 'permanent' || state.failures >= tries) {
		return stay({...common, status: 'parked', nextAttemptAt: now + lookMs});
	}

	return stay({
		...common,
		status: 'failed',
		nextAttemptAt: now + pauseAfter(state.failures, random()),
	});
}

const pauseAfter = (failures: number, chance: number): number => {
	const full = Math.min(firstPauseMs * 2 ** Math.max(0, failures - 1), maxPauseMs);
	return Math.round(full - (full / 2) * chance);
};

function woken(state: ServerState, context: StepContext): Step {
	const {now, settings} = context;
	if (state.status === 'failed' || state.status === 'parked') {
		return now >= state.nextAttemptAt ? connect(state, context) : stay(state);
	}

	if (state.status !== 'connected') {
		return stay(state);
	}

	const due = dueActionOf(state, settings, now);
	switch (due.verdict) {
		case 'keep':
			return stay(state);

		case 'check':
			return check(state);

		case 'recycle':
			return stay(
				{...commonOf(state, now), status: 'recycled', reason: due.reason},
				...endOf(state),
			);
	}
}
