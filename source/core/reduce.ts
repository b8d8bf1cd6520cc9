import type {Delivery} from './delivery.ts';
import type {Emit, EventOf, GatewayEvent} from './events.ts';
import {isJsonObject} from './json.ts';
import {deliveriesAfter, worksAfter} from './reduce-deliveries.ts';
import {approvalParts, groupsAfter, keysAfter, serversAfter, wholeAfter} from './reduce-lists.ts';
import {progressAfter, runsAfter, saidAfter} from './reduce-runs.ts';
import type {Run} from './run.ts';
import {type GatewayState, initialState, limits} from './state.ts';
import {trafficAfter} from './traffic.ts';

export type Broker = {
	/** Reports an event. Cheap: the state is computed lazily, and listeners are called once per turn of the event loop. */
	readonly emit: Emit;
	readonly getState: () => GatewayState;
	/** Calls `listener` once per turn with all events since its last call (first: since the state at subscription), in order. A listener that throws is dropped. */
	readonly subscribe: (listener: (events: readonly GatewayEvent[]) => void) => () => void;
};

/** Number of pending events at which the state is computed even if nothing reads it: bounds their memory. */
const maxBacklog = 2048;

/** Connects the rooms that report events with the faces that show them: events in, state and batches of events out. */
export function createBroker(onListenerError: (error: unknown) => void = () => {}): Broker {
	let state = initialState;
	let unread: GatewayEvent[] = [];
	let untold: GatewayEvent[] = [];
	let telling = false;
	/** Listeners, each with the number of pending events to skip: those included in the state at its subscription. */
	const listeners = new Map<(events: readonly GatewayEvent[]) => void, number>();

	const getState = () => {
		if (unread.length > 0) {
			const events = unread;
			unread = [];
			state = reduce(state, events);
		}

		return state;
	};

	const tell = () => {
		telling = false;
		const events = untold;
		untold = [];
		for (const [listener, known] of listeners) {
			listeners.set(listener, 0);
			try {
				listener(known === 0 ? events : events.slice(known));
			} catch (error) {
				listeners.delete(listener);
				onListenerError(error);
			}
		}
	};

	return {
		emit(event) {
			unread.push(event);
			if (unread.length >= maxBacklog) {
				getState();
			}

			if (listeners.size === 0) {
				return;
			}

			untold.push(event);
			if (!telling) {
				telling = true;
				setImmediate(tell);
			}
		},
		getState,
		subscribe(listener) {
			listeners.set(listener, untold.length);
			return () => {
				listeners.delete(listener);
			};
		},
	};
}

type Type = GatewayEvent['type'];

/** Changed members of the state; `undefined` removes a member. */
type Parts = {readonly [Key in keyof GatewayState]?: GatewayState[Key] | undefined};

/**
 * The state after `events`. Pure. Unchanged members stay the same objects, so that views of them are not
 * redrawn. Takes a batch of events, since each long list is copied once per call.
 */
export function reduce(state: GatewayState, events: readonly GatewayEvent[]): GatewayState {
	const next = {...state};
	for (const event of events) {
		if (Object.hasOwn(changes, event.type)) {
			// Each entry of `changes` takes the events of its own type.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			const change = changes[event.type] as (event: GatewayEvent, state: GatewayState) => Parts;
			put(next, change(event, next));
		}
	}

	for (const {change} of lists) {
		put(next, change(events, {state: next, before: state}));
	}

	return next;
}

function put(state: GatewayState, parts: Parts): void {
	Object.assign(state, parts);
	for (const [key, value] of Object.entries(parts)) {
		if (value === undefined) {
			Reflect.deleteProperty(state, key);
		}
	}
}

type Change<Key extends Type> = (event: EventOf<Key>, state: GatewayState) => Parts;

/** How one event of each type changes the state. Only types that one of the `lists` takes may be missing. */
const changes: {readonly [Key in Exclude<Type, Listed>]: Change<Key>} & {
	readonly [Key in Listed]?: Change<Key>;
} = {
	'gateway-started': ({pid, version, home, profile, at}) => ({
		gateway: {pid, version, home, profile, startedAt: at, stopping: false, reachable: true},
	}),
	'gateway-stopping': (_event, {gateway}) => ({gateway: {...gateway, stopping: true}}),
	'gateway-lost': (_event, {gateway}) => ({gateway: {...gateway, reachable: false}}),
	'message-skipped': ({reason}, {gateway}) => ({gateway: {...gateway, skipped: reason}}),
	'journal-counted': ({counts}) => ({journal: counts}),
	'queue-counted': ({queue}) => ({queue}),
	'store-failing': ({reason, at}, {storeFailingSince = at}) => ({
		storeFailing: reason,
		storeFailingSince: reason === undefined ? undefined : storeFailingSince,
	}),
	'cluster-changed': ({members, notesLagMs}) => ({cluster: members, notesLagMs}),
	'webhook-listening': ({url}) => ({webhook: {state: 'listening', url}}),
	'webhook-refused': ({code, reason, at}) => ({
		webhook: {state: 'refused', code, reason, since: at},
	}),
	'webhook-disabled': () => ({webhook: {state: 'disabled'}}),
	'webhook-closed': () => ({webhook: {state: 'closed'}}),
	'api-changed': ({api}) => ({api}),
	'keys-changed': ({keys, gone}, state) => ({keys: keysAfter(state.keys, {keys, gone})}),
	'routes-changed': ({routes}) => ({routes}),
	'delivery-received': ({delivery}, {totals}) => ({totals: withDelivery(totals, delivery)}),
	'group-changed': ({group}, {totals}) =>
		group.state === 'dispatched'
			? {totals: {...totals, groupsDispatched: totals.groupsDispatched + 1}}
			: {},
	'jobs-changed': ({jobs}) => ({jobs}),
	'run-changed': ({run}, {totals}) => ({totals: withRun(totals, run)}),
	...approvalParts,
	'installs-changed': ({installs}) => ({installs}),
	'model-selected': ({model, offer}) => ({
		model,
		modelOffer: offer,
		modelProblem: undefined,
		modelSilence: undefined,
	}),
	'model-refused': ({reason}) => ({
		model: undefined,
		modelProblem: reason,
		modelSilence: undefined,
	}),
	'model-silent': ({reason, at}, {modelSilence}) => ({
		modelSilence: {since: modelSilence?.since ?? at, reason},
	}),
	'model-answers': () => ({modelSilence: undefined}),
	'alerts-changed': ({alerts}) => ({alerts}),
	'platform-changed': ({platform}, {platforms}) => ({
		platforms: [...platforms.filter(({name}) => name !== platform.name), platform],
	}),
	'config-reloaded': ({problems}) => ({problems}),
	'config-rejected': ({problems}) => ({problems}),
	'health-sampled': ({health}) => ({health}),
};

type States = {
	/** The state so far: with the results of the earlier `lists`. */
	readonly state: GatewayState;
	/** The state before the batch. */
	readonly before: GatewayState;
};

/** Describes a list in the state and its reducer `after`. `of`: the types of the events that `after` takes, checked by the compiler. */
function list<Key extends keyof GatewayState, Event extends GatewayEvent>(
	key: Key,
	of: {readonly [Name in Event['type']]: true},
	after: (value: GatewayState[Key], events: readonly Event[], states: States) => GatewayState[Key],
) {
	const isOf = (event: GatewayEvent): event is Event => Object.hasOwn(of, event.type);
	return {
		of,
		/** Empty for a batch without events of these types. */
		change: (events: readonly GatewayEvent[], states: States): Parts => {
			const own = events.filter(isOf);
			return own.length === 0 ? {} : {[key]: after(states.state[key], own, states)};
		},
	};
}

const arrived = {'history-restored': true, 'delivery-received': true} as const;
const ofRuns = {...arrived, 'run-changed': true} as const;
const ofProgress = {'run-progressed': true, 'run-said': true, 'run-changed': true} as const;

/** The reducers of the long lists, in the order in which they run. Each runs at most once per batch. */
const lists = [
	list('deliveries', arrived, deliveriesAfter),
	list('traffic', {...arrived, 'traffic-counted': true}, trafficAfter),
	list('deliveries', {'run-changed': true, 'group-changed': true}, worksAfter),
	list('runs', ofRuns, runsAfter),
	list('wholeFrom', ofRuns, wholeAfter),
	list('groups', {'history-restored': true, 'group-changed': true}, groupsAfter),
	list('progress', ofProgress, progressAfter),
	list('said', ofProgress, saidAfter),
	list('servers', {'server-changed': true, 'server-removed': true}, serversAfter),
	list('logs', {'log-restored': true, 'log-written': true}, logsAfter),
] as const;

type KeysOf<Of> = Of extends unknown ? keyof Of : never;
type Listed = KeysOf<(typeof lists)[number]['of']>;

/** Whether `value` is an event of a type that this version knows: a newer gateway may send others. */
export const isKnownEvent = (value: unknown): value is GatewayEvent => {
	const type = isJsonObject(value) ? value['type'] : undefined;
	return (
		typeof type === 'string' &&
		[changes, ...lists.map(({of}) => of)].some(one => Object.hasOwn(one, type))
	);
};

type Totals = GatewayState['totals'];

/** Adds a delivery to the totals; not one of another gateway, nor one answered 401 or 404, which any stranger can cause. */
const withDelivery = (totals: Totals, {idSource, status}: Delivery): Totals =>
	idSource === 'import' || status === 401 || status === 404
		? totals
		: {...totals, received: totals.received + 1, ok: totals.ok + (status < 400 ? 1 : 0)};

const totalOf: Partial<Record<Run['state'], 'runsDone' | 'runsFailed'>> = {
	done: 'runsDone',
	silent: 'runsDone',
	failed: 'runsFailed',
	interrupted: 'runsFailed',
	uncertain: 'runsFailed',
	dead: 'runsFailed',
};

function withRun(totals: Totals, {state}: Run): Totals {
	const key = totalOf[state];
	return key ? {...totals, [key]: totals[key] + 1} : totals;
}

function logsAfter(
	logs: GatewayState['logs'],
	events: ReadonlyArray<EventOf<'log-restored' | 'log-written'>>,
) {
	const written = events.flatMap(event =>
		event.type === 'log-restored' ? event.records : [event.record],
	);
	return [...logs, ...written].slice(-limits.logs);
}
