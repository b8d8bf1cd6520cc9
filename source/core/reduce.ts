import type {Delivery} from './delivery.ts';
import type {Emit, GatewayEvent} from './events.ts';
import {isJsonObject} from './json.ts';
import {deliveriesAfter, worksAfter} from './reduce-deliveries.ts';
import {approvalParts, groupsAfter, keysAfter, serversAfter, wholeAfter} from './reduce-lists.ts';
import {progressAfter, runsAfter, saidAfter} from './reduce-runs.ts';
import type {Run} from './run.ts';
import {type GatewayState, initialState, limits} from './state.ts';
import {trafficAfter} from './traffic.ts';

export type Broker = {
	/** Reports an event. Cheap: the state is computed on demand, and listeners are called once per turn of the event loop. */
	readonly emit: Emit;
	readonly getState: () => GatewayState;
	/** Calls `listener` once per turn with the events since the last call, or since the state at subscription; in order, each exactly once. A listener that throws is dropped. */
	readonly subscribe: (listener: (events: readonly GatewayEvent[]) => void) => () => void;
};

/** At this many unread events the state is computed, which bounds the memory of an unobserved gateway. */
const maxBacklog = 2048;

/** Connects the rooms that report events with the faces that show them: events in, state and batches of events out. */
export function createBroker(onListenerError: (error: unknown) => void = () => {}): Broker {
	let state = initialState;
	let unread: GatewayEvent[] = [];
	let untold: GatewayEvent[] = [];
	let telling = false;
	/** Listeners, with the number of pending events that their initial state already includes. */
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

/** Changed parts of the state; `undefined` removes a part. */
type Parts = {readonly [Key in keyof GatewayState]?: GatewayState[Key] | undefined};

/**
 * The state after `events`. Pure. Unchanged parts stay the same objects, so that views of them are not
 * redrawn. Takes batches: the long lists are copied once per batch, not once per event.
 */
export function reduce(state: GatewayState, events: readonly GatewayEvent[]): GatewayState {
	const next = {...state};
	for (const event of events) {
		if (Object.hasOwn(changes, event.type)) {
			// The entry of a type takes events of that type.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			const change = changes[event.type] as (event: GatewayEvent, state: GatewayState) => Parts;
			put(next, change(event, next));
		}
	}

	const types = new Set(events.map(({type}) => type));
	for (const {of, after} of longLists) {
		if (of.some(type => types.has(type))) {
			put(next, after(next, events, state));
		}
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

type Change<Key extends Type> = (
	event: GatewayEvent & {readonly type: Key},
	state: GatewayState,
) => Parts;

/** The change of the state by a single event, for each type. Only types that one of the `lists` takes may be missing. */
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

type LongList = {
	readonly of: readonly Type[];
	/** `state` includes the results of the lists above; `before` is the state before the batch. */
	readonly after: (
		state: GatewayState,
		events: readonly GatewayEvent[],
		before: GatewayState,
	) => Parts;
};

/** The long lists, in the order of their computation. A batch changes each at most once, and only when it holds an event of the types in `of`. */
const lists = [
	{
		of: ['history-restored', 'delivery-received'],
		after: ({deliveries}, events) => ({deliveries: deliveriesAfter(deliveries, events)}),
	},
	{
		of: ['history-restored', 'delivery-received', 'traffic-counted'],
		after: ({traffic}, events) => ({traffic: trafficAfter(traffic, events)}),
	},
	{
		of: ['run-changed', 'group-changed'],
		after: ({deliveries}, events) => ({deliveries: worksAfter(deliveries, events)}),
	},
	{
		of: ['history-restored', 'delivery-received', 'run-changed'],
		after: ({runs}, events) => ({runs: runsAfter(runs, events)}),
	},
	{
		of: ['history-restored', 'delivery-received', 'run-changed'],
		after: (state, events, before) => ({wholeFrom: wholeAfter(before, state, events)}),
	},
	{
		of: ['history-restored', 'group-changed'],
		after: ({groups}, events) => ({groups: groupsAfter(groups, events)}),
	},
	{
		of: ['run-progressed', 'run-said', 'run-changed'],
		after: ({progress, said}, events) => ({
			progress: progressAfter(progress, events),
			said: saidAfter(said, events),
		}),
	},
	{
		of: ['server-changed', 'server-removed'],
		after: ({servers}, events) => ({servers: serversAfter(servers, events)}),
	},
	{
		of: ['log-restored', 'log-written'],
		after: ({logs}, events) => ({logs: logsAfter(logs, events)}),
	},
] as const satisfies readonly LongList[];

const longLists: readonly LongList[] = lists;

type Listed = (typeof lists)[number]['of'][number];

/** Whether this version knows the type of `value`: a gateway of a later version may send events of others. */
export const isKnownEvent = (value: unknown): value is GatewayEvent =>
	isJsonObject(value) &&
	typeof value['type'] === 'string' &&
	(Object.hasOwn(changes, value['type']) ||
		longLists.some(({of}) => of.some(type => type === value['type'])));

type Totals = GatewayState['totals'];

/** Deliveries of other gateways do not count; nor do 401 and 404, which any stranger can cause. */
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

function logsAfter(logs: GatewayState['logs'], events: readonly GatewayEvent[]) {
	const written = events.flatMap(event => {
		if (event.type === 'log-restored') {
			return event.records;
		}

		return event.type === 'log-written' ? [event.record] : [];
	});
	return [...logs, ...written].slice(-limits.logs);
}
