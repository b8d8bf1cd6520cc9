import {reviewInstall} from '../../source/config/install-link/review-install.ts';
import type {AnswerOutcome} from '../../source/core/approval.ts';
import type {StoredDelivery, ReceiverAnswer} from '../../source/core/delivery.ts';
import {SvcError} from '../../source/core/errors.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import type {StoredGroup} from '../../source/core/group.ts';
import type {OfferedInstall} from '../../source/core/install.ts';
import {reduce} from '../../source/core/reduce.ts';
import type {StoredRun} from '../../source/core/run.ts';
import type {StoredSession} from '../../source/core/session.ts';
import {type GatewayState, initialState} from '../../source/core/state.ts';
import type {ServerView, TestedServer} from '../../source/core/tool-server.ts';
import type {ToolResult} from '../../source/core/tool.ts';
import {contract} from '../../source/gateway/contract/contract.ts';
import type {
	GatewayCommands,
	GatewayPort,
	ReplayPlan,
	ServerReloadPlan,
	StopConsequences,
} from '../../source/gateway/port.ts';

/** A command that a face gave. */
export type PortCall = {readonly name: string; readonly args: readonly unknown[]};

export type FakePort = GatewayPort & {
	/** Every command so far, in order; what only reads is not among them. */
	readonly calls: PortCall[];
	/** What `getDelivery`, `getRun` and `getGroup` find. */
	readonly deliveries: Map<string, StoredDelivery>;
	readonly runs: Map<number, StoredRun>;
	readonly groups: Map<number, StoredGroup>;
	/** Chat sessions, the last used first; any search finds the last message of each. */
	readonly sessions: Map<string, StoredSession>;
	/** What the next commands answer; to be changed by tests. */
	readonly answers: {
		plan: ReplayPlan;
		consequences: StopConsequences;
		/** Of `replay`, `sendTestEvent` and `recoverDelivery`. */
		receiver: ReceiverAnswer;
		/** Of `dispatchGroup`. */
		dispatched: boolean;
		/** Of `settleApproval`. */
		settled: AnswerOutcome;
		/** Of `planServerReload`. */
		serverPlan: ServerReloadPlan;
		/** Of `testServer`; the server of that name in `durationMs` 0 when absent. */
		serverTest: TestedServer | undefined;
		/** Of `listInstalls`. */
		offered: readonly OfferedInstall[];
		/** Of `tryTool`. */
		toolResult: ToolResult;
		/** Of `sendChat`. */
		chat: {session: string; run: number};
		/** When set, every command rejects with it. */
		failure: Error | undefined;
	};
	/** Lets things happen, as one batch. */
	emit(...events: readonly GatewayEvent[]): void;
	/** Changes the state without an event; listeners are told. */
	change(part: Partial<GatewayState>): void;
};

/** Every command, for those that a test does not expect. */
const unexpectedCommands = Object.fromEntries(
	Object.keys(contract).map(name => [
		name,
		async () => {
			throw new Error(`Not expected: "${name}"`);
		},
	]),
) as unknown as GatewayCommands;

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
	const groups = new Map<number, StoredGroup>();
	const sessions = new Map<string, StoredSession>();
	const answers: FakePort['answers'] = {
		plan: {route: 'gh-review', effects: ['starts an agent run'], needsConfirmation: true},
		consequences: {activeRuns: 0, queuedRuns: 0, pendingGroups: 0},
		receiver: {status: 202, body: '{"status":"accepted"}'},
		dispatched: true,
		settled: {settled: false},
		serverPlan: {changes: [], closes: []},
		serverTest: undefined,
		offered: [],
		toolResult: {text: 'done'},
		chat: {session: 'ses_1', run: 1},
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

	const serverOf = (name: string, {profile = 'default'} = {}): ServerView => {
		const server = state.servers.find(other => other.name === name && other.profile === profile);
		if (!server) {
			throw new SvcError('server_not_found', `Cannot find tool server "${name}"`);
		}

		return server;
	};

	return {
		...unexpectedCommands,
		embedded,
		calls,
		deliveries,
		runs,
		groups,
		sessions,
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
		getGroup: async id => groups.get(id),
		listGroups: async ({state: wanted}) =>
			state.groups.filter(group => wanted === undefined || group.state === wanted),
		dispatchGroup: async (...args) => command({name: 'dispatchGroup', args}, answers.dispatched),
		listSessions: async () => [...sessions.values()],
		getSession: async id => sessions.get(id),
		searchSessions: async () =>
			[...sessions.values()].map(({conversation, ...session}) => {
				const {at, message} = conversation.at(-1) ?? {at: 0, message: {}};
				return {
					session,
					at,
					role: 'assistant',
					excerpt: JSON.stringify(message['content']).slice(1, -1),
				};
			}),
		sendChat: async (...args) => command({name: 'sendChat', args}, answers.chat),
		deleteSession: async (...args) =>
			command({name: 'deleteSession', args}, sessions.delete(args[0])),
		listJobs: async () => state.jobs,
		runJob: async (...args) => command({name: 'runJob', args}, {runId: 1}),
		setJobPaused: async (...args) => command({name: 'setJobPaused', args}, undefined),
		importDeliveries: async (...args) =>
			command({name: 'importDeliveries', args}, args[0].deliveries.length),
		countRoutes: async () => ({since: 0, until: 0, routes: []}),
		sumRuns: async ({by = 'route'} = {}) => ({
			by,
			since: 0,
			until: 7 * 86_400_000,
			leftOut: 0,
			rows: [],
		}),
		describeRoute: async () => undefined,
		readRouteRate: async () => undefined,
		setRoutePaused: async (...args) => command({name: 'setRoutePaused', args}, undefined),
		removeRoute: async (...args) => command({name: 'removeRoute', args}, undefined),
		recoverDelivery: async (...args) => command({name: 'recoverDelivery', args}, answers.receiver),
		planReplay: async () => answers.plan,
		replay: async (...args) => command({name: 'replay', args}, answers.receiver),
		sendTestEvent: async (...args) => command({name: 'sendTestEvent', args}, answers.receiver),
		curlLine: async route => `curl http://127.0.0.1:8644/webhooks/${route}`,
		listApprovals: async ({state: wanted, limit}) =>
			(wanted === 'waiting' ? state.approvals : state.settledApprovals.toReversed()).slice(
				0,
				limit,
			),
		getApproval: async id =>
			[...state.approvals, ...state.settledApprovals].find(one => one.id === id),
		settleApproval: async (...args) => command({name: 'settleApproval', args}, answers.settled),
		extendApproval: async (...args) =>
			command(
				{name: 'extendApproval', args},
				state.approvals.find(({id}) => id === args[0]),
			),
		listApprovalRules: async () => state.approvalRules,
		acceptApprovalRule: async (...args) =>
			command(
				{name: 'acceptApprovalRule', args},
				state.approvalRules.find(({id}) => id === args[0]),
			),
		revokeApprovalRule: async (...args) =>
			command(
				{name: 'revokeApprovalRule', args},
				state.approvalRules.some(({id}) => id === args[0]),
			),
		listServers: async () => state.servers,
		connectServer: async (...args) => command({name: 'connectServer', args}, serverOf(...args)),
		disconnectServer: async (...args) =>
			command({name: 'disconnectServer', args}, serverOf(...args)),
		testServer: async (...args) =>
			command(
				{name: 'testServer', args},
				answers.serverTest ?? {server: serverOf(...args), durationMs: 0},
			),
		planServerReload: async () => answers.serverPlan,
		tryTool: async (...args) => command({name: 'tryTool', args}, answers.toolResult),
		reviewInstall: async ({link, name}) =>
			reviewInstall(link, {name}, new Set(state.servers.map(server => server.name))),
		offerInstall: async (...args) =>
			command(
				{name: 'offerInstall', args},
				{id: 1, name: 'crm', link: args[0].link, askedAt: 0, expiresAt: 600_000},
			),
		listInstalls: async () => answers.offered,
		dismissInstall: async (...args) => command({name: 'dismissInstall', args}, true),
		installServer: async (...args) =>
			command({name: 'installServer', args}, reviewInstall(args[0].link, {}, new Set())),
		cancelRun: async (...args) => command({name: 'cancelRun', args}, true),
		dropRun: async (...args) => command({name: 'dropRun', args}, true),
		deliverRun: async (...args) =>
			command({name: 'deliverRun', args}, {kind: args[1]?.to ?? 'log', extra: {}}),
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
			api: {disabled: true},
			runs: {active: 0, queued: 0, to_decide: 0, awaiting_login: 0},
			groups: 0,
			jobs: {count: 0, next_at: null},
			servers: [],
			approvals: 0,
			platforms: [],
			model: null,
			model_problem: null,
			slips: [],
			config_problems: [],
			restart_needed: [],
			journal_failing: null,
		}),
		stopConsequences: async () => answers.consequences,
		stop: async () => command({name: 'stop', args: []}, undefined),
		[Symbol.asyncDispose]: async () => {},
	};
}
