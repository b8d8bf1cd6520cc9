import {expect, test} from 'vitest';
import type {JsonObject, JsonValue} from '../../source/core/json.ts';
import {compileSubject} from '../../source/webhook/event-subject.ts';
import {githubExamples} from '../helpers/github-examples.ts';
import {makeRoute, secret, startReceiver} from './start-receiver.ts';

const read = (payload: JsonValue, route: Parameters<typeof compileSubject>[0] = {}) =>
	compileSubject(route)({payload, event: 'ping', headers: {}});

const example = (name: string, action?: string): JsonObject =>
	githubExamples
		.find(one => one.name === name)
		?.examples.find(payload => action === undefined || payload.action === action);

test.for([
	[
		'pull_request',
		'opened',
		'Codertocat/Hello-World#2 opened · Update the README with new information.',
	],
	['issues', 'labeled', 'Codertocat/Hello-World#1 labeled bug · Spelling error in the README file'],
	[
		'issue_comment',
		'created',
		'Codertocat/Hello-World#1 comment created by Codertocat · Spelling error in the README file',
	],
	[
		'pull_request_review',
		'submitted',
		'Codertocat/Hello-World#2 review commented by Codertocat · Update the README with new information.',
	],
	['push', undefined, 'Codertocat/Hello-World simple-tag · Adding a .gitignore file'],
	['workflow_job', 'completed', 'Codertocat/Hello-World linters completed failure · main'],
	['star', 'created', 'Codertocat/Hello-World created by Codertocat'],
] as const)('GitHub %s %s is told from the others by its subject', ([name, action, subject]) => {
	expect(read(example(name, action))).toBe(subject);
});

const project = {path_with_namespace: 'acme/api'};

test.for<readonly [string, JsonObject, string]>([
	[
		'GitLab merge request',
		{project, object_attributes: {iid: 7, target_branch: 'main', action: 'open', title: 'Retry'}},
		'acme/api!7 open · Retry',
	],
	[
		'GitLab issue',
		{project, object_attributes: {iid: 8, action: 'close', title: 'Slow'}},
		'acme/api#8 close · Slow',
	],
	[
		'GitLab comment',
		{
			project,
			user: {username: 'ann'},
			merge_request: {iid: 7, title: 'Retry'},
			object_attributes: {note: 'hm'},
		},
		'acme/api!7 comment by ann · Retry',
	],
	[
		'GitLab push',
		{project, ref: 'refs/heads/main', commits: [{message: 'Fix it\n\nAt last'}]},
		'acme/api main · Fix it',
	],
	[
		'Bitbucket',
		{repository: {full_name: 'acme/api'}, pullrequest: {id: 3, state: 'OPEN', title: 'Retry'}},
		'acme/api#3 OPEN · Retry',
	],
	[
		'Stripe',
		{id: 'evt_1', api_version: 'x', data: {object: {id: 'in_9', status: 'paid'}}},
		'in_9 paid',
	],
	[
		'Slack',
		{team_id: 'T1', event: {channel: 'C1', user: 'U1', text: 'hello\nyou'}},
		'C1 U1 · hello',
	],
	[
		'Linear',
		{action: 'update', webhookTimestamp: 1, data: {identifier: 'ENG-4', title: 'Crash'}},
		'ENG-4 update · Crash',
	],
	[
		'Sentry',
		{action: 'created', data: {issue: {shortId: 'API-1', title: 'TypeError'}}},
		'API-1 created · TypeError',
	],
	[
		'PagerDuty',
		{
			event: {
				event_type: 'incident.triggered',
				data: {number: 12, status: 'triggered', title: 'db-3 down'},
			},
		},
		'#12 triggered · db-3 down',
	],
	[
		'Zendesk',
		{zendesk_event_version: '1', detail: {id: '35', status: 'OPEN', subject: 'Refund'}},
		'#35 OPEN · Refund',
	],
	[
		'Shopify',
		{
			admin_graphql_api_id: 'gid',
			name: '#1001',
			financial_status: 'paid',
			fulfillment_status: null,
		},
		'#1001 paid',
	],
	[
		'Alertmanager',
		{
			status: 'firing',
			alerts: [],
			groupLabels: {alertname: 'DiskFull'},
			commonAnnotations: {summary: 'db-3 is full'},
		},
		'DiskFull firing · db-3 is full',
	],
	['CloudEvents', {specversion: '1.0', source: '/db', id: '5', subject: 'row 4'}, 'row 4 · /db'],
	[
		'Jira',
		{webhookEvent: 'x', issue: {key: 'OPS-2', fields: {summary: 'Rotate'}}},
		'OPS-2 · Rotate',
	],
	['anybody', {data: {title: 'A title'}, id: 5}, '5'],
	['anybody else', {title: ' Two\nlines ', name: 'n'}, 'Two'],
])('what %s is about is found by what its payloads hold', ([, payload, subject]) => {
	expect(read(payload)).toBe(subject);
});

test.for<readonly [string, JsonValue]>([
	['a list', [1, 2]],
	['a text', 'hello'],
	['nothing that is known', {foo: {bar: 1}}],
	['objects where texts are meant', {title: {a: 1}, name: [], id: null}],
	['what every object inherits', {}],
])('%s has no subject', ([, payload]) => {
	expect(read(payload)).toBeUndefined();
});

test('the rules of the sender that a route names come first', () => {
	const payload = {
		title: 'T',
		admin_graphql_api_id: 'g',
		api_version: 'v',
		data: {object: {id: 'in_1'}},
	};
	expect(read(payload, {signature: {kind: 'shopify'}})).toBe('T');
	expect(read(payload, {signature: {kind: 'stripe'}})).toBe('in_1');
});

test('a binary CloudEvent is named by its headers', () => {
	const headers = {'ce-subject': 'row 4', 'ce-source': '/db'};
	expect(compileSubject({})({payload: {}, event: 'x', headers})).toBe('row 4 · /db');
});

test('the template of a route counts when all its keys are there, in one line', () => {
	const route = {subject: '{repository.full_name}#{number}\n{event_type}'};
	expect(read({repository: {full_name: 'acme/api'}, number: 7, title: 'T'}, route)).toBe(
		'acme/api#7 ping',
	);
	expect(read({number: 7, title: 'T'}, route)).toBe('T');
	expect(read({number: 7, title: 'T'}, {subject: '{title.constructor}'})).toBe('T');
	expect(read({title: 'T', blank: ' '}, {subject: '{blank}'})).toBe('T');
});

test('a subject is bounded, whatever a template repeats', () => {
	const subject = Array.from({length: 50}, () => '{__raw__}').join('');
	expect(read({title: 'x'.repeat(100_000)}, {subject})?.length).toBeLessThanOrEqual(2048);
	expect(read({title: 'x'.repeat(100_000)})?.length).toBeLessThanOrEqual(2048);
});

test('the subject is stored with the delivery and its run, and tells no secret', async () => {
	await using receiver = await startReceiver();
	await receiver.post({title: `Deploy with ${secret} \u001b[2J ${'x'.repeat(300)}`});
	const {id, subject, flags, runId = 0} = receiver.last();

	expect(subject).toMatch(/^Deploy with \[redacted\] ␛\[2J x+…$/);
	expect(subject).toHaveLength(200);
	expect(flags).toBe(1);
	expect(await receiver.store.journal.get(id)).toMatchObject({subject});
	expect((await receiver.store.journal.list({limit: 1}))[0]).toMatchObject({id, subject});
	expect(await receiver.store.runs.view(runId)).toMatchObject({subject});
});

test('an ignored event has a subject, a refused one has none', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({events: ['push']})]});
	await receiver.post({title: 'T', type: 'other'});
	expect(receiver.last()).toMatchObject({outcome: 'ignored:event', subject: 'T'});
	await receiver.post({title: 'T'}, {'x-webhook-signature-v2': 'forged'});
	expect(receiver.last()).not.toHaveProperty('subject');
});
