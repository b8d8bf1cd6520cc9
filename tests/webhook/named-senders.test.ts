import {createHmac} from 'node:crypto';
import {Webhook as StandardWebhook} from 'standardwebhooks';
import {Stripe} from 'stripe';
import {expect, test} from 'vitest';
import {routeSettings} from '../../source/config/route-schema.ts';
import {whsec} from './senders.ts';
import {makeRoute, secret, send, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

const hmac = (content: string, key = secret) => createHmac('sha256', key).update(content);

const post = async (
	receiver: TestReceiver,
	body: string,
	headers: Readonly<Record<string, string>>,
) =>
	send(receiver.url, {
		method: 'POST',
		path: '/webhooks/hook',
		body,
		headers: {'Content-Type': 'application/json', ...headers},
	});

test('stripe: type and identifier come from the signed body, a captured request is a duplicate whatever headers it is given', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({signature: {kind: 'stripe'}, events: ['invoice.paid']})],
	});
	const body = JSON.stringify({id: 'evt_1', object: 'event', type: 'invoice.paid'});
	const signed = {
		'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({
			payload: body,
			secret,
			timestamp: receiver.clock.now() / 1000,
		}),
	};
	const first = await post(receiver, body, signed);
	expect([first.status, first.json]).toEqual([
		202,
		{status: 'accepted', route: 'hook', event: 'invoice.paid', delivery_id: 'evt_1'},
	]);
	expect(receiver.last()).toMatchObject({deliveryId: 'evt_1', idSource: 'body.id'});
	const again = await post(receiver, body, {...signed, 'X-Request-ID': 'fresh'});
	expect([again.status, again.json]).toEqual([200, {status: 'duplicate', delivery_id: 'evt_1'}]);
});

test('stripe: a replay is an event of its own, an event that was fetched keeps the identifier it was fetched by', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({signature: {kind: 'stripe'}})],
	});
	const body = JSON.stringify({id: 'evt_1', type: 'invoice.paid'});
	await post(receiver, body, {
		'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({
			payload: body,
			secret,
			timestamp: receiver.clock.now() / 1000,
		}),
	});
	const stored = await receiver.stored();
	const replayed = await receiver.receiver.replay(stored);
	const {id, deliveryId, idSource, outcome} = receiver.last();
	expect([replayed.status, deliveryId, idSource, outcome]).toEqual([
		202,
		`replay-${id}`,
		'replay',
		'accepted',
	]);
	expect((await receiver.receiver.replay(stored)).status).toBe(202);

	const recover = async (fetchedBy: string) => {
		const answer = await receiver.receiver.recover({
			route: 'hook',
			deliveryId: fetchedBy,
			headers: {},
			body,
		});
		return [answer.status, receiver.last().deliveryId, receiver.last().idSource];
	};

	expect(await recover('fetched-1')).toEqual([202, 'fetched-1', 'recovered']);
	expect(await recover('evt_1')).toEqual([200, 'evt_1', 'recovered']);
});

test('slack: the identifier comes from the signed body', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({signature: {kind: 'slack'}})]});
	const body = JSON.stringify({event_id: 'Ev08', type: 'event_callback'});
	const time = String(receiver.clock.now() / 1000);
	const headers = {
		'X-Slack-Request-Timestamp': time,
		'X-Slack-Signature': `v0=${hmac(`v0:${time}:${body}`).digest('hex')}`,
	};
	expect((await post(receiver, body, headers)).json).toMatchObject({
		event: 'event_callback',
		delivery_id: 'Ev08',
	});
	expect((await post(receiver, body, headers)).json['status']).toBe('duplicate');
});

test('shopify: event and identifier come from its own headers', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({signature: {kind: 'shopify'}})]});
	const body = '{"id":820982911946154500}';
	const answer = await post(receiver, body, {
		'X-Shopify-Hmac-Sha256': hmac(body).digest('base64'),
		'X-Shopify-Topic': 'orders/create',
		'X-Shopify-Webhook-Id': 'b54557e4',
	});
	expect([answer.status, answer.json]).toEqual([
		202,
		{status: 'accepted', route: 'hook', event: 'orders/create', delivery_id: 'b54557e4'},
	]);
});

test('linear: event and identifier come from its own headers, the time from the body', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({signature: {kind: 'linear'}})]});
	const sendAged = async (ageMs: number, id: string) => {
		const body = JSON.stringify({action: 'create', webhookTimestamp: receiver.clock.now() - ageMs});
		return post(receiver, body, {
			'Linear-Signature': hmac(body).digest('hex'),
			'Linear-Event': 'Issue',
			'Linear-Delivery': id,
		});
	};

	expect((await sendAged(60_000, 'd1')).json).toMatchObject({event: 'Issue', delivery_id: 'd1'});
	expect((await sendAged(60_001, 'd2')).status).toBe(401);
});

test('a route says where its sender names event and delivery; a retry is a duplicate', async () => {
	const written = routeSettings.read({
		event_header: 'X-Event-Key',
		id_field: ['nothing', 'event.id'],
		events: ['repo:push'],
	});
	await using receiver = await startReceiver({routes: [makeRoute(written)]});
	const sendNamed = async (id: string, headers: Record<string, string> = {}) => {
		const answer = await receiver.post({event: {id}}, {'X-Event-Key': 'repo:push', ...headers});
		return answer.json;
	};

	expect(await sendNamed('e1')).toMatchObject({event: 'repo:push', delivery_id: 'e1'});
	expect(await sendNamed('e1', {'X-Request-ID': 'forged'})).toMatchObject({status: 'duplicate'});
	expect(receiver.last().idSource).toBe('body.event.id');
	// A replay is the same event.
	expect((await receiver.receiver.replay(await receiver.stored())).status).toBe(202);
	expect(receiver.last().event).toBe('repo:push');
});

test('an identifier beside the signature does not stand in for one that it covers', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({idHeaders: ['x-request-uuid'], secrets: [whsec('0123456789abcdef')]})],
	});
	const body = '{}';
	const nowMs = receiver.clock.now();
	const signed = {
		'webhook-id': 'msg_1',
		'webhook-timestamp': String(Math.floor(nowMs / 1000)),
		'webhook-signature': new StandardWebhook(whsec('0123456789abcdef')).sign(
			'msg_1',
			new Date(nowMs),
			body,
		),
	};
	const answer = await post(receiver, body, {...signed, 'X-Request-UUID': 'forged'});
	expect(answer.json['delivery_id']).toBe('msg_1');
});

test('the retired secret passes over HTTP and the trace says how long still', async () => {
	await using receiver = await startReceiver({
		routes: [
			makeRoute({
				secrets: ['new'],
				retiredSecrets: [{secret, until: 1_750_000_000_000 + 7_200_000}],
			}),
		],
	});
	expect((await receiver.post({})).status).toBe(202);
	expect(receiver.step('signature')).toBe('v2 with the retired secret, 2 h left');
	receiver.clock.advance(7_200_001);
	const answer = await receiver.post({});
	expect([answer.status, answer.json]).toEqual([401, {error: 'Invalid signature'}]);
	expect(receiver.step('signature')).toBe(
		'v2: does not match the secret; matches the previous secret, which ended 0 s ago',
	);
});

test('a rejected signature tells the client only `Invalid signature`; the person at the terminal sees why', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute(), makeRoute({name: 'deploys', secrets: ['another secret']})],
	});
	const body = '{"a":1}';
	const answers = [
		await post(receiver, body, {'X-Webhook-Signature': hmac(body, 'another secret').digest('hex')}),
		await post(receiver, `${body}\n`, {'X-Webhook-Signature': hmac(body).digest('hex')}),
		await post(receiver, body, {'X-Acme-Signature': 'x'}),
	];
	for (const {status, text} of answers) {
		expect([status, text]).toEqual([401, '{"error":"Invalid signature"}']);
	}

	expect(
		receiver.deliveries.map(({trace}) => trace.find(({step}) => step === 'signature')?.detail),
	).toEqual([
		'v1: does not match the secret; matches the secret of route "deploys"',
		'v1: does not match the secret; matches the body without the line feed at its end: something changed it on the way',
		'no signature header; headers that look like one: x-acme-signature',
	]);
	expect(JSON.stringify([receiver.events, receiver.log])).not.toContain(secret);
});
