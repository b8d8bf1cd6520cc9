import type {GatewayState} from '../../../source/core/state.ts';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {
	makeField,
	makeFormApproval,
	makeRule,
	makeToolApproval,
} from '../../helpers/make-approval.ts';
import {makeServer, makeServerTool} from '../../helpers/make-server.ts';
import {makeDelivery, makeGroup, makeJob, makeRun} from '../../helpers/make.ts';
import {testNow} from '../../helpers/show-shell.tsx';

const minuteMs = 60_000;
const at = (seconds: number) => testNow - 10 * minuteMs + seconds * 1000;

/** A gateway with something in every pane. */
export function createWorld(change: Partial<GatewayState> = {}): FakePort {
	const deliveries = [
		makeDelivery({
			id: 'd00001',
			deliveryId: 'sent-1',
			receivedAt: at(1),
			event: 'push',
			route: 'gh-push',
			status: 200,
			outcome: 'ignored:event',
			trace: [
				{step: 'signature', verdict: 'pass', detail: 'X-Hub-Signature-256, route secret'},
				{step: 'event', verdict: 'stop', detail: 'push is not one of pull_request'},
			],
		}),
		makeDelivery({
			id: 'd00002',
			deliveryId: 'sent-2',
			receivedAt: at(2),
			event: 'pull_request',
			subject: 'acme/api#7 opened',
			status: 202,
			runId: 184,
			trace: [{step: 'signature', verdict: 'pass', detail: 'X-Hub-Signature-256, route secret'}],
		}),
		...Array.from({length: 12}, (_, index) =>
			makeDelivery({
				id: `d001${index.toString().padStart(2, '0')}`,
				deliveryId: `sent-1${index}`,
				receivedAt: at(10 + index),
				event: 'pull_request',
				subject: `acme/api#${20 + index} opened`,
			}),
		),
	];
	const [, second] = deliveries;
	const port = createFakePort({
		deliveries: deliveries.map(delivery => ({
			key: delivery.id,
			delivery,
			count: 1,
		})),
		groups: [
			makeGroup({
				id: 3,
				firstAt: testNow - 20_000,
				lastAt: testNow - 5000,
				quietAt: testNow + 25_000,
				capAt: testNow + 280_000,
				count: 6,
			}),
			makeGroup({
				id: 2,
				key: 'acme/web#77',
				state: 'dispatched',
				reason: 'quiet',
				dispatchedAt: at(3),
				runId: 183,
			} as never),
		],
		jobs: [makeJob({nextAt: testNow + 3_600_000})],
		servers: [
			makeServer({
				since: testNow - 2 * minuteMs,
				tools: [
					makeServerTool({args: ['query*', 'limit']}),
					makeServerTool({
						tool: 'remove',
						name: 'mcp__crm__remove',
						asks: true,
						description: 'Removes an account',
						claims: {destructive: true},
					}),
				],
				offered: 2,
			}),
			makeServer({
				name: 'tracker',
				transport: 'http',
				status: 'needs login',
				since: testNow - minuteMs,
				endpoint: 'https://mcp.tracker.example/mcp',
				login: {flow: 'device', stored: false},
				reason: 'needs a login: svc mcp login tracker',
			} as never),
		],
		routes: [
			{
				profile: 'default',
				name: 'gh-review',
				source: 'dynamic',
				description: '',
				events: ['pull_request'],
				deliver: 'forge_comment',
				mode: 'agent',
				insecure: false,
				path: '/webhooks/gh-review',
			},
			{
				profile: 'default',
				name: 'gh-push',
				source: 'static',
				description: '',
				events: [],
				deliver: 'log',
				mode: 'agent',
				insecure: false,
				path: '/webhooks/gh-push',
			},
		] as never,
		runs: [
			makeRun({
				id: 183,
				state: 'done',
				createdAt: at(3),
				startedAt: at(4),
				finishedAt: at(45),
				toolCalls: 2,
			}),
			makeRun({
				id: 184,
				state: 'running',
				subject: 'acme/api#7 opened',
				delivery: 'd00002',
				createdAt: at(2),
				startedAt: at(3),
				attempt: 1,
			}),
		],
		approvalRules: [makeRule()],
		logs: [
			{at: at(1), level: 'info', source: 'webhook', message: 'Listening', fields: {port: 8644}},
			{
				at: at(2),
				level: 'error',
				source: 'delivery',
				message: 'Cannot deliver',
				fields: {run: 183},
			},
		],
		...change,
	});
	if (second) {
		port.deliveries.set(second.id, {
			...second,
			headers: {'content-type': 'application/json'},
			body: Buffer.from(
				JSON.stringify({
					action: 'opened',
					number: 7,
					pull_request: {draft: true, title: 'Fix "it"'},
				}),
			),
		});
	}

	return port;
}

/** A call that a person has to decide on. */
export const waitingCall = makeToolApproval({
	requestedAt: testNow,
	delivery: 'd00002',
	args: {
		owner: 'acme',
		repo: 'api',
		title: 'Flaky test in api',
		body: 'Steps:\n1. run make\n2. see',
	},
});

export const waitingForm = makeFormApproval({
	fields: [
		makeField({key: 'account', title: 'Account', required: true, description: 'The name of it'}),
		makeField({
			key: 'size',
			title: 'Size',
			kind: 'choice',
			options: [
				{value: 's', title: 'Small'},
				{value: 'l', title: 'Large'},
			],
		}),
		makeField({key: 'pin', title: 'PIN', masked: true}),
	],
});
