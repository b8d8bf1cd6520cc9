import {areaText} from '../../../source/terminal/text/area-editor.ts';
import type {ChatState} from '../../../source/tui/panes/chat/chat-state.ts';
import type {FakeClock} from '../../helpers/fake-clock.ts';
import {createFakeLogins, type FakeLogins} from '../../helpers/fake-logins.ts';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {
	makeShownTool,
	makeFormApproval,
	makeRule,
	makeToolApproval,
} from '../../helpers/make-approval.ts';
import {makeKey} from '../../helpers/make-key.ts';
import {makeServer, makeServerTool} from '../../helpers/make-server.ts';
import {
	makeDelivery,
	makeGroup,
	makeJob,
	makeRun,
	makeSession,
	makeSum,
} from '../../helpers/make.ts';
import {testNow} from '../../helpers/show-shell.tsx';

/** A gateway and a person's logins, with the same contents whenever they are made. */
export type World = {
	readonly port: FakePort;
	readonly logins: FakeLogins;
	/** What the person is doing in the chat. */
	readonly chat?: Partial<ChatState>;
};

const ago = (seconds: number) => testNow - seconds * 1000;
const later = (seconds: number) => testNow + seconds * 1000;

const health = {loopDelayP99Ms: 6.2, rssBytes: 118e6, requestsPerSecond: 12.4, requestP95Ms: 41};

const route = {
	name: 'gh-review',
	profile: 'default',
	source: 'dynamic',
	description: 'Reviews pull requests',
	events: ['pull_request'],
	deliver: 'log',
	mode: 'agent',
	insecure: false,
} as const;

const payload = {
	action: 'opened',
	number: 4211,
	pull_request: {draft: true, title: 'Fix the parser', user: {login: 'ann'}},
};

function delivery(index: number, overrides: Parameters<typeof makeDelivery>[0] = {}) {
	const receivedAt = ago(120 - index);
	return makeDelivery({
		id: `d${String(index).padStart(5, '0')}`,
		deliveryId: `delivery-${index}`,
		receivedAt,
		subject: `acme/api#${4200 + index} opened`,
		trace: [
			{step: 'route', verdict: 'pass', detail: 'dynamic'},
			{step: 'signature', verdict: 'pass', detail: 'hub-256'},
			{step: 'event', verdict: 'pass', detail: 'pull_request'},
		],
		...overrides,
	});
}

const rowsOf = (deliveries: ReadonlyArray<ReturnType<typeof delivery>>) =>
	deliveries.map(one => ({key: one.id, delivery: one, count: 1}));

const store = (port: FakePort, deliveries: ReadonlyArray<ReturnType<typeof delivery>>) => {
	for (const one of deliveries) {
		port.deliveries.set(one.id, {
			...one,
			headers: {'x-github-event': one.event},
			body: new TextEncoder().encode(JSON.stringify(payload)),
		});
	}
};

const noRoutes = {
	describeRoute: async () => undefined,
	listRoutes: async () => [],
};

function empty(clock: FakeClock): World {
	return {port: createFakePort({keys: []}), logins: createFakeLogins(clock)};
}

const outcomes = [
	{},
	{outcome: 'ignored:filter', status: 200},
	{outcome: 'coalesced', route: 'gh-push', event: 'push'},
	{outcome: 'duplicate', status: 200},
	{route: 'stripe-pay', event: 'invoice.paid', subject: '支払い 3,200 円'},
	{outcome: 'rate', status: 429, route: 'alerts', event: 'alert'},
	{flags: 3, route: 'forms', subject: 'hello \\u{202e}gnp.exe'},
] as const;

const used = (requests: number, inputTokens: number, outputTokens: number) => ({
	requests,
	inputTokens,
	outputTokens,
});

const busyKeys = [
	makeKey({
		id: 'key_9zYxWvUtSrQp',
		name: 'old laptop',
		hint: 'svc_live_Aq3f…9Zk2',
		revokedAt: ago(86_400),
	}),
	makeKey({
		id: 'key_4kTeam5rPm0n',
		name: 'team',
		hint: 'svc_live_7Hwq…2Lx8',
		models: ['svc-model-*'],
		agents: false,
		rpm: 60,
		parallel: 4,
		budget: {tokens: 2_000_000, per: 'month'},
		lastUsedAt: ago(12),
		usage: {
			day: used(41, 90_000, 12_000),
			period: used(800, 1_400_000, 310_000),
			all: used(2400, 4_000_000, 900_000),
		},
	}),
	makeKey({id: 'key_Ci0Tests7hJk', name: 'ci', kind: 'test', hint: 'svc_test_mN4b…0pQr'}),
	makeKey({
		retiring: {hint: 'svc_live_before…fuC1', until: later(7200)},
		lastUsedAt: ago(3700),
		usage: {day: used(3, 900, 400), period: used(70, 20_000, 9000), all: used(70, 20_000, 9000)},
	}),
	makeKey({id: 'key_Soon2End9aBc', name: '契約 デモ', expiresAt: later(200_000)}),
];

function busy(clock: FakeClock): World {
	const deliveries = Array.from({length: 42}, (_, index) =>
		delivery(index, {runId: index + 1, ...outcomes[index % outcomes.length]}),
	);
	const runs = (
		['done', 'failed', 'running', 'queued', 'silent', 'uncertain', 'delivering', 'dead'] as const
	).map((state, index) =>
		makeRun({
			id: index + 1,
			state,
			delivery: `d${String(index).padStart(5, '0')}`,
			subject: `acme/api#${4200 + index} opened`,
			createdAt: ago(300 - index),
			startedAt: ago(299 - index),
			toolCalls: index,
			...(state === 'done' && {finishedAt: ago(250), answer: 'Looks good: merge it.'}),
			...(state === 'failed' && {finishedAt: ago(240), error: 'The model is away'}),
		}),
	);
	const port = createFakePort({
		health,
		model: {provider: 'anthropic', name: 'claude', origin: 'configured'},
		routes: [route, {...route, name: 'gh-push', events: ['push'], mode: 'coalesce'}],
		deliveries: rowsOf(deliveries),
		runs,
		groups: [
			makeGroup({id: 1, firstAt: ago(20), lastAt: ago(2), quietAt: later(28), capAt: later(280)}),
			makeGroup({
				id: 2,
				key: 'acme/web#12',
				count: 7,
				firstAt: ago(90),
				lastAt: ago(1),
				quietAt: later(59),
				capAt: later(210),
			}),
			makeGroup({
				id: 3,
				key: 'acme/api#3',
				state: 'dispatched',
				firstAt: ago(900),
				lastAt: ago(860),
				dispatchedAt: ago(800),
				reason: 'quiet',
				runId: 1,
			}),
		],
		jobs: [
			makeJob({nextAt: later(3600), lastAt: ago(82_800), lastRunId: 1}),
			makeJob({
				id: 'job_nightly0',
				name: 'nightly',
				schedule: 'every 12h',
				nextAt: later(43_200),
				state: 'paused',
			}),
		],
		api: {state: 'listening', url: 'http://127.0.0.1:8642'},
		keys: busyKeys,
		servers: [
			makeServer({
				name: 'files',
				since: ago(3600),
				offered: 2,
				pingMs: 3,
				tools: [
					makeServerTool({tool: 'read_file', name: 'mcp__files__read_file', args: ['path*']}),
					makeServerTool({tool: 'write_file', name: 'mcp__files__write_file', asks: true}),
				],
			}),
			makeServer({
				name: 'crm',
				transport: 'http',
				endpoint: 'https://crm.example.com/mcp',
				status: 'needs login',
				since: ago(60),
				login: {flow: 'device', stored: false},
			}),
		],
		approvals: [
			makeToolApproval({requestedAt: ago(30), deadline: later(271)}),
			makeFormApproval({requestedAt: ago(20), deadline: later(250)}),
		],
		settledApprovals: [
			makeToolApproval({
				id: 9,
				requestedAt: ago(600),
				decision: {outcome: 'allowed', at: ago(590), by: 'tui (ann, pts/3)'},
			}),
		],
		approvalRules: [makeRule()],
		logs: Array.from({length: 40}, (_, index) => ({
			at: ago(90 - index),
			level: (['note', 'info', 'debug', 'warn', 'error'] as const)[index % 5] ?? 'info',
			source: ['webhook', 'agent', 'mcp'][index % 3] ?? '',
			message: `Something happened for the ${index}. time`,
			fields: {run: index},
		})),
	});
	Object.assign(port, noRoutes);
	port.sumRuns = async ({by = 'route'} = {}) => ({
		by,
		since: ago(7 * 86_400),
		until: ago(0),
		leftOut: 0,
		rows: [
			makeSum({
				...(by === 'route' ? {profile: 'default', route: route.name} : {key: '契約 デモ'}),
				runs: 128,
				open: 2,
				done: 119,
				failed: 7,
				success: 119 / 126,
				inputTokens: 1_204_000,
				outputTokens: 38_020,
				costs: [{amount: 4.21, currency: 'USD'}],
				unpriced: 3,
				medianMs: 12_400,
				longestMs: 301_000,
			}),
		],
	});
	store(port, deliveries);
	for (const run of runs) {
		port.runs.set(run.id, {
			...run,
			plan: {
				prompt: 'Review acme/api',
				target: {kind: 'log', extra: {}},
				skills: [],
			},
			transcript: [
				{at: ago(299), kind: 'prompt', text: 'Review acme/api'},
				{at: ago(290), kind: 'text', text: 'I read the change first.'},
			],
		});
	}

	const logins = createFakeLogins(clock);
	logins.tell({
		server: 'crm',
		flow: 'device',
		status: 'waiting',
		startedAt: ago(30),
		endsAt: later(570),
		serverHost: 'crm.example.com',
		verificationUri: 'https://id.example.com/device',
		verificationUriComplete: 'https://id.example.com/device?code=BCDF-GHJK',
		verificationHost: 'id.example.com',
		userCode: 'BCDF-GHJK',
	});
	port.sessions.set(
		'ses_1',
		makeSession(['What is open in acme/api?', 'Two pull requests:\n\n- **#4207** waits for you'], {
			usedAt: ago(60),
		}),
	);
	return {
		port,
		logins,
		chat: {
			mode: 'write',
			session: 'ses_1',
			text: areaText('And which of them\nis the oldest?'),
			turn: {text: 'Is it green?', at: ago(20), run: 3},
		},
	};
}

/** Everything that may be wrong at once: nobody listens, the gateway is away, and what each pane lists has failed. */
function broken(clock: FakeClock): World {
	const refused = [
		{outcome: 'signature', status: 401},
		{outcome: 'slip', status: 503},
		{outcome: 'journal', status: 503},
		{outcome: 'body', status: 400},
		{outcome: 'route', status: 404, route: 'gh-reviewww'},
	] as const;
	const deliveries = refused.map((part, index) =>
		delivery(index, {
			...part,
			trace: [
				{step: 'route', verdict: 'pass', detail: 'dynamic'},
				{step: 'signature', verdict: 'stop', detail: 'matches no secret of this route'},
			],
		}),
	);
	const {gateway} = createFakePort().getState();
	const port = createFakePort(
		{
			gateway: {...gateway, reachable: false},
			health,
			webhook: {
				state: 'refused',
				code: 'EADDRINUSE',
				reason: 'port 8644 is in use by another program',
				since: ago(45),
			},
			modelProblem: 'ANTHROPIC_API_KEY is not set',
			problems: [
				{
					severity: 'error',
					file: '/home/ann/.svc/config.yaml',
					line: 12,
					column: 3,
					key: 'platforms.webhook.rate_limitt',
					message: 'Unknown key, did you mean "rate_limit"',
				},
			],
			routes: [
				{...route, problem: 'its filter cannot be read'},
				{...route, name: 'open', insecure: true},
			],
			deliveries: rowsOf(deliveries),
			runs: (['failed', 'interrupted', 'uncertain', 'dead', 'cancelled', 'dropped'] as const).map(
				(state, index) =>
					makeRun({
						id: index + 1,
						state,
						createdAt: ago(300 - index),
						finishedAt: ago(200 - index),
						error: 'The mail server refuses: 550 no such user',
						...(state === 'dropped' && {
							dropped: {was: 'dead', at: ago(30), reason: 'The address was wrong'},
						}),
					}),
			),
			groups: [
				makeGroup({id: 1, firstAt: ago(400), lastAt: ago(390), quietAt: ago(360), capAt: ago(100)}),
			],
			jobs: [
				makeJob({
					nextAt: later(900),
					state: 'invalid',
					problem: 'its schedule "9 9 9" has three fields',
				}),
			],
			servers: [
				makeServer({
					name: 'files',
					since: ago(100),
					status: 'failed',
					reason: 'the program ended with 1',
					stderr: 'Error: no such folder',
					nextAttemptAt: later(20),
				}),
				makeServer({
					name: 'crm',
					since: ago(200),
					status: 'parked',
					reason: 'it failed eight times',
				}),
				makeServer({
					name: 'tracker',
					since: ago(300),
					transport: 'http',
					endpoint: 'https://tracker.example.com/mcp',
					status: 'needs login',
					login: {flow: 'browser', stored: false},
					warnings: ['2 tools changed since they were approved'],
				}),
			],
			api: {
				state: 'refused',
				code: 'EADDRINUSE',
				reason: 'port 8642 is in use by another program',
				since: ago(45),
			},
			keys: [
				makeKey({expiresAt: ago(5)}),
				makeKey({
					id: 'key_4kTeam5rPm0n',
					name: 'team',
					budget: {tokens: 1000, per: 'day'},
					usage: {day: used(9, 800, 400), period: used(9, 800, 400), all: used(9, 800, 400)},
				}),
			],
			settledApprovals: [
				makeToolApproval({
					id: 9,
					requestedAt: ago(900),
					tool: makeShownTool({changed: true}),
					decision: {outcome: 'denied', at: ago(600), by: 'timeout', reason: 'nobody answered'},
				}),
			],
			logs: [
				{
					at: ago(40),
					level: 'error',
					source: 'webhook',
					message: 'Cannot listen on 127.0.0.1:8644: it is in use',
					fields: {},
				},
			],
		},
		{embedded: false},
	);
	const away = async () => {
		throw new Error('the gateway is away');
	};

	Object.assign(port, noRoutes, {getDelivery: away, getRun: away, describeRoute: away});
	const logins = createFakeLogins(clock);
	logins.tell({
		server: 'tracker',
		status: 'failed',
		reason: 'the authorization server does not know this client',
		startedAt: ago(90),
		endedAt: ago(60),
		serverHost: 'tracker.example.com',
	});
	return {port, logins};
}

/** What every pane is drawn with. */
export const worlds = {empty, busy, error: broken} as const;
