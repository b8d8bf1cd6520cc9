import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {startTestGateway} from '../../helpers/gateway.ts';

const run = promisify(execFile);

const schemes = {
	none: {},
	stripe: {signature: 'stripe'},
	slack: {signature: 'slack'},
	shopify: {signature: 'shopify'},
	linear: {signature: 'linear'},
	custom: {
		signature: {
			header: 'X-Their-Signature',
			algorithm: 'sha512',
			prefix: 'v7=',
			encoding: 'base64',
			timestamp_header: 'X-Their-Time',
			signed: '{timestamp}:{body}',
		},
	},
	plain: {signature: {header: 'X-Their-Signature'}},
	field: {event_field: 'event.event_type', events: ['incident.triggered']},
	header: {event_header: ['X-Event-Key', 'X-Other'], events: ['repo:push']},
	cloud: {cloudevents: true, events: ['order.made']},
	zendesk: {signature: 'zendesk'},
	paddle: {signature: 'paddle', events: ['transaction.paid']},
	pagerduty: {signature: 'pagerduty', events: ['incident.triggered']},
	telegram: {signature: 'telegram', secret: 'the secret'},
	bearer: {
		signature: {header: 'Authorization', prefix: 'Bearer', token: true},
		secret: 'the secret',
	},
	basic: {
		signature: {header: 'Authorization', prefix: 'Basic', token: true},
		secret: 'the secret',
	},
	rotated: {secret: ['first secret', 'second secret']},
	standard: {secret: 'whsec_c2VjcmV0IG9mIHRoZSBzZW5kZXI='},
	mixed: {secret: ['whpk_PCFXd6YF4vEn0uB2EIPoHDAGZlh6HTjAVOhTqNYTyLE=', 'second secret']},
} as const;

test('a test event is signed as the senders of its route sign', async () => {
	await using gateway = await startTestGateway({
		subscriptions: Object.fromEntries(
			Object.entries(schemes).map(([name, entry]) => [name, {prompt: 'x', ...entry}]),
		),
	});
	for (const name of Object.keys(schemes)) {
		const answer = await gateway.port.sendTestEvent(name);
		expect([name, answer.status]).toEqual([name, 202]);
		const line = await gateway.port.curlLine(name);
		const {stdout} = await run('/bin/sh', ['-c', line], {
			env: {...process.env, SECRET: 'the secret'},
		});
		expect(line).not.toContain('the secret');
		expect([name, JSON.parse(stdout)]).toMatchObject([name, {status: 'accepted'}]);
	}

	await gateway.gateway.idle();
});

test('a route whose sender alone can sign is not tested', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {secret: 'whpk_PCFXd6YF4vEn0uB2EIPoHDAGZlh6HTjAVOhTqNYTyLE='}},
	});
	for (const asked of [gateway.port.sendTestEvent('hook'), gateway.port.curlLine('hook')]) {
		await expect(asked).rejects.toMatchObject({
			code: 'route_not_testable',
			message: expect.stringContaining('"hook"'),
		});
	}
});

test('a test event for a route of another profile goes below its prefix', async () => {
	await using gateway = await startTestGateway({
		config: {gateway: {multiplex_profiles: true}},
		subscriptions: {hook: {prompt: 'x', profile: 'work'}},
	});
	expect(await gateway.port.curlLine('hook')).toContain('/p/work/webhooks/hook');
	expect((await gateway.port.sendTestEvent('hook')).status).toBe(202);
	expect(await gateway.ended(1)).toMatchObject({profile: 'work', state: 'done'});
});

test('a test event of a route has the payload of an event that it takes', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {
			issues: {prompt: '{repository.full_name}#{issue.number}: {issue.title}', events: ['issues']},
			push: {prompt: '{ref} {pusher.name}: {head_commit.message}', events: ['push']},
		},
	});
	const prompts: string[] = [];
	for (const [index, name] of ['issues', 'push'].entries()) {
		expect((await gateway.port.sendTestEvent(name)).status).toBe(202);
		prompts.push((await gateway.ended(index + 1)).plan.prompt);
	}

	expect(prompts).toEqual([
		'acme/api#8: An upload that breaks off is lost',
		'refs/heads/main alex: Retry the upload when the connection drops',
	]);
});

test('a payload that names its event is not sent as another one', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {
			stripe: {prompt: 'x', signature: 'stripe', events: ['invoice.paid']},
			plain: {prompt: 'x'},
		},
	});
	const eventOf = async (route: string, options: {payload?: string; event?: string} = {}) => {
		const {body} = await gateway.port.sendTestEvent(route, options);
		return JSON.parse(body).event;
	};
	const payload = '{"type":"invoice.voided"}';
	expect(JSON.parse((await gateway.port.sendTestEvent('stripe')).body)).toMatchObject({
		status: 'accepted',
		event: 'invoice.paid',
	});
	expect(await eventOf('stripe', {payload})).toBe('invoice.voided');
	expect(await eventOf('plain', {payload})).toBe('invoice.voided');
	expect(await eventOf('plain', {payload: '{"event_type":"made"}'})).toBe('made');
	expect(await eventOf('plain', {payload, event: 'release'})).toBe('release');
	expect(await eventOf('plain', {payload: '{"tag":"v1"}'})).toBe('pull_request');
	expect(await eventOf('plain', {payload: 'nonsense'})).toBeUndefined();
	await gateway.gateway.idle();
});
