import type {StoredDelivery} from '../../source/core/delivery.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import {reduce} from '../../source/core/reduce.ts';
import type {StoredRun} from '../../source/core/run.ts';
import {type GatewayState, initialState} from '../../source/core/state.ts';
import type {GatewayPort, ReplayPlan, StopConsequences} from '../../source/gateway/port.ts';

/** A command that a face gave. */
export type PortCall = {readonly name: string; readonly args: readonly unknown[]};

export type FakePort = GatewayPort & {
	/** Every command so far, in order; what only reads is not among them. */
	readonly calls: PortCall[];
	/** What `getDelivery` and `getRun` find. */
	readonly deliveries: Map<string, StoredDelivery>;
	readonly runs: Map<number, StoredRun>;
	/** What the next commands answer; to be changed by tests. */
	readonly answers: {
		plan: ReplayPlan;
		consequences: StopConsequences;
		/** When set, every command rejects with it. */
		failure: Error | undefined;
	};
	/** Lets things happen, as one batch. */
	emit(...events: readonly GatewayEvent[]): void;
	/** Changes the state without an event; listeners are told. */
	change(part: Partial<GatewayState>): void;
};

/** A gateway that does nothing but remember what it was asked for. */
export function createFakePort(
	initial: Partial<GatewayState> = {},
	{embedded = true}: {readonly embedded?: boolean} = {},
): FakePort {
	let state: GatewayState = {
		...initialState,
		gateway: {...initialState.gateway, pid: 4242, version: '1.0.0', home: '/home/ann/.svc'},
		webhook: {state: 'listening', url: 'http://127.0.0.1:8644'},
		...initial,
	};
	const listeners = new Set<(events: readonly GatewayEvent[]) => void>();
	const calls: PortCall[] = [];
	const deliveries = new Map<string, StoredDelivery>();
	const runs = new Map<number, StoredRun>();
	const answers: FakePort['answers'] = {
		plan: {route: 'gh-review', effects: ['starts an agent run'], needsConfirmation: true},
		consequences: {activeRuns: 0, queuedRuns: 0},
		failure: undefined,
	};

	const tell = (events: readonly GatewayEvent[]) => {
		for (const listener of listeners) {
			listener(events);
		}
	};

	const command = async <Answer>(call: PortCall, answer: Answer): Promise<Answer> => {
		calls.push(call);
		if (answers.failure) {
			throw answers.failure;
		}

		return answer;
	};

	return {
		embedded,
		calls,
		deliveries,
		runs,
		answers,
		emit(...events) {
			state = reduce(state, events);
			tell(events);
		},
		change(part) {
			state = {...state, ...part};
			tell([]);
		},
		getState: () => state,
		subscribe(listener) {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
		getDelivery: async id => deliveries.get(id),
		listDeliveries: async () => [...deliveries.values()],
		getRun: async id => runs.get(id),
		listRuns: async () => [...runs.values()],
		planReplay: async () => answers.plan,
		replay: async (...args) =>
			command({name: 'replay', args}, {status: 202, body: '{"status":"accepted"}'}),
		sendTestEvent: async (...args) =>
			command({name: 'sendTestEvent', args}, {status: 202, body: '{"status":"accepted"}'}),
		curlLine: async route => `curl http://127.0.0.1:8644/webhooks/${route}`,
		cancelRun: async (...args) => command({name: 'cancelRun', args}, true),
		retryRun: async (...args) => command({name: 'retryRun', args}, true),
		listRoutes: async () => state.routes,
		reload: async () => command({name: 'reload', args: []}, undefined),
		restartReceiver: async () => command({name: 'restartReceiver', args: []}, undefined),
		useModel: async (...args) => command({name: 'useModel', args}, undefined),
		status: async () => ({
			pid: 4242,
			version: '1.0.0',
			home: '/home/ann/.svc',
			profile: 'default',
			started_at: 0,
			webhook: {url: 'http://127.0.0.1:8644'},
			api: null,
			runs: {active: 0, queued: 0},
			groups: 0,
			servers: [],
			platforms: [],
			model: null,
			journal_failing: null,
		}),
		stopConsequences: async () => answers.consequences,
		stop: async () => command({name: 'stop', args: []}, undefined),
		[Symbol.asyncDispose]: async () => {},
	};
}
