import {expect, test} from 'vitest';
import type {Route, SignatureSpec} from '../../source/config/route.ts';
import type {JsonValue} from '../../source/core/json.ts';
import {bodyIdOf, eventOf, headerIdOf} from '../../source/webhook/identity.ts';
import {headersToStore} from '../../source/webhook/request-content.ts';
import {makeRoute, startReceiver} from './start-receiver.ts';

const routeOf = (kind?: Exclude<SignatureSpec['kind'], 'custom'>) =>
	makeRoute(kind && {signature: {kind}});

const sent = {
	shopify: {'x-shopify-topic': 'orders/create', 'x-shopify-webhook-id': 'b54557e4'},
	linear: {'linear-event': 'Issue', 'linear-delivery': '234d1a4e'},
};

test.for(['shopify', 'linear'] as const)(
	'%s names event and delivery in headers of its own',
	kind => {
		const headers = sent[kind];
		const route = routeOf(kind);
		const [event, id] = Object.values(headers);
		const [eventHeader, idHeader] = Object.keys(headers);
		const others = {...headers, 'x-github-event': 'push', 'x-request-id': 'proxy'};
		expect(eventOf(route, {headers: others, payload: {}})).toEqual({
			name: event,
			source: eventHeader,
		});
		expect(headerIdOf(route, others)).toEqual({deliveryId: id, idSource: idHeader});
	},
);

test('such headers count for nothing on other routes', () => {
	const headers = {...sent.shopify, ...sent.linear};
	for (const route of [routeOf(), routeOf('stripe'), routeOf('slack')]) {
		expect(eventOf(route, {headers, payload: {}}).name).toBe('unknown');
		expect(headerIdOf(route, headers).idSource).toBe('random');
	}
});

test('without its own headers the general ones count', () => {
	expect(eventOf(routeOf('shopify'), {headers: {}, payload: {type: 'x'}}).name).toBe('x');
	expect(headerIdOf(routeOf('linear'), {'x-request-id': 'r'}).deliveryId).toBe('r');
});

const bodyId = (route: Route, payload: JsonValue) => bodyIdOf(route, {headers: {}, payload});

test('stripe and slack write the identifier into the body, which is signed', () => {
	expect(bodyId(routeOf('stripe'), {id: 'evt_1', event_id: 'x'})).toEqual({
		deliveryId: 'evt_1',
		idSource: 'body.id',
	});
	expect(bodyId(routeOf('slack'), {id: 'x', event_id: 'Ev08'})).toEqual({
		deliveryId: 'Ev08',
		idSource: 'body.event_id',
	});
	for (const route of [routeOf(), routeOf('shopify'), routeOf('linear')]) {
		expect(bodyId(route, {id: 'evt_1', event_id: 'Ev08'})).toBeUndefined();
	}
});

test('the event of stripe is the one that is signed, whatever headers say', () => {
	const headers = {'x-github-event': 'push'};
	expect(eventOf(routeOf('stripe'), {headers, payload: {type: 'invoice.paid'}})).toEqual({
		name: 'invoice.paid',
		source: 'body.type',
	});
});

test.for([null, 5, 'evt_1', ['id'], {}, {id: ''}, {id: 5.5}, {id: 2 ** 60}, {id: null}, {id: {}}])(
	'a body without an exact identifier leaves it to the headers: %j',
	payload => {
		expect(bodyId(routeOf('stripe'), payload)).toBeUndefined();
	},
);

test('an identifier in the body that is too long or not printable becomes its digest', () => {
	for (const id of ['x'.repeat(257), 'a\u001b[2J']) {
		expect(bodyId(routeOf('stripe'), {id})?.deliveryId).toMatch(/^sha256-[0-9a-f]{64}$/);
	}
});

test('the keys of a route say where its sender names event and delivery, in this order', () => {
	const route = makeRoute({
		eventFields: ['event.type', 'kind'],
		eventHeaders: ['x-event-key', 'x-other'],
		idFields: ['event.id', 'items.0.n'],
		idHeaders: ['x-request-uuid', 'x-attempt'],
	});
	const headers = {'x-other': 'B', 'x-github-event': 'push', 'x-attempt': '1'};
	const eventIn = (payload: JsonValue) => eventOf(route, {headers, payload});
	expect(eventIn({event: {type: 'a'}, kind: 'b'})).toEqual({name: 'a', source: 'body.event.type'});
	expect(eventIn({event: {type: ''}, kind: 'b'})).toEqual({name: 'b', source: 'body.kind'});
	expect(eventIn({type: 'c'})).toEqual({name: 'B', source: 'x-other'});
	expect(eventOf(route, {headers: {}, payload: {type: 'c'}})).toEqual({name: 'c', source: 'type'});

	expect(bodyId(route, {event: {id: 'e1'}})?.deliveryId).toBe('e1');
	expect(bodyId(route, {items: [{n: 7}]})).toEqual({deliveryId: '7', idSource: 'body.items.0.n'});
	expect(bodyId(route, {id: 'x'})).toBeUndefined();
	expect(headerIdOf(route, headers)).toEqual({deliveryId: 'x-attempt:1', idSource: 'x-attempt'});
	expect(headerIdOf(route, {'x-github-delivery': 'g'}).deliveryId).toBe('x-github-delivery:g');
});

test('each key stands in for what the preset says of the same thing', () => {
	const route = makeRoute({signature: {kind: 'stripe'}, idFields: ['request.id']});
	const payload = {id: 'evt_1', type: 'invoice.paid', request: {id: 'req_1'}};
	expect(bodyId(route, payload)?.deliveryId).toBe('req_1');
	expect(eventOf(route, {headers: {}, payload}).name).toBe('invoice.paid');
});

const cloud = makeRoute({cloudevents: true});

test('a CloudEvent in headers is named by them, and its data names nothing', () => {
	const headers = {
		'content-type': 'application/json',
		'ce-type': 'order.made',
		'ce-source': '/shop',
		'ce-id': '1',
	};
	const payload = {type: 'customer', id: 'c1', source: 'x'};
	expect(eventOf(cloud, {headers, payload}).name).toBe('order.made');
	expect(headerIdOf(cloud, headers)).toEqual({deliveryId: '/shop 1', idSource: 'ce-id'});
	expect(bodyIdOf(cloud, {headers, payload})).toBeUndefined();
	const {'ce-source': _, ...incomplete} = headers;
	expect(headerIdOf(cloud, incomplete).idSource).toBe('random');
	expect(eventOf(makeRoute(), {headers, payload: {}}).name).toBe('unknown');
});

test('a CloudEvent that is whole in the body is named there, and by no header', () => {
	const headers = {
		'content-type': 'application/cloudevents+json; charset=utf-8',
		'ce-type': 'forged',
		'ce-source': '/shop',
		'ce-id': '2',
	};
	const payload = {specversion: '1.0', type: 'order.made', source: '/shop', id: '1', data: {}};
	expect(eventOf(cloud, {headers, payload}).name).toBe('order.made');
	expect(bodyIdOf(cloud, {headers, payload})).toEqual({deliveryId: '/shop 1', idSource: 'body.id'});
	expect(headerIdOf(cloud, headers).idSource).toBe('random');
});

test('a replay sees the same event: the headers are kept with the delivery', () => {
	const headers = {...sent.shopify, ...sent.linear};
	const received = {...headers, 'linear-signature': 'x', 'stripe-signature': 'x'};
	expect(headersToStore(received, text => text)).toEqual(headers);
});

test.for<
	readonly [
		Exclude<SignatureSpec['kind'], 'custom'>,
		Record<string, string>,
		JsonValue,
		string,
		string,
	]
>([
	['bitbucket', {'x-event-key': 'repo:push', 'x-request-uuid': 'u1'}, {}, 'repo:push', 'u1'],
	['bitbucket', {'x-event-key': 'pr:opened', 'x-request-id': 'u2'}, {}, 'pr:opened', 'u2'],
	['discord', {}, {id: '9', type: 2}, 'unknown', '9'],
	['grafana', {'x-request-id': 'r'}, {status: 'firing', type: 'x'}, 'firing', 'r'],
	['paddle', {}, {event_type: 'transaction.paid', event_id: 'evt_1'}, 'transaction.paid', 'evt_1'],
	[
		'pagerduty',
		{},
		{event: {event_type: 'incident.triggered', id: 'e1'}},
		'incident.triggered',
		'e1',
	],
	['sentry', {'sentry-hook-resource': 'issue', 'request-id': 'r1'}, {action: 'x'}, 'issue', 'r1'],
	['telegram', {}, {update_id: 10_000, message: {}}, 'message', '10000'],
	[
		'twilio',
		{'i-twilio-idempotency-token': 't1', 'x-github-event': 'push'},
		{SmsStatus: 'received', Body: 'x'},
		'received',
		't1',
	],
	[
		'zendesk',
		{'x-zendesk-webhook-invocation-id': 'i1'},
		{type: 'zen:event', id: 7},
		'zen:event',
		'i1',
	],
	['zoom', {'x-request-id': 'r'}, {event: 'meeting.started'}, 'meeting.started', 'r'],
])('%s names event and delivery', ([kind, headers, payload, event, id]) => {
	const route = routeOf(kind);
	expect(eventOf(route, {headers, payload}).name).toBe(event);
	expect((bodyIdOf(route, {headers, payload}) ?? headerIdOf(route, headers)).deliveryId).toBe(id);
});

test('an identifier that anybody could add takes none that stands in a signed body', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({idFields: ['evt.id']})],
	});
	// A captured event that has none, with the identifier of one that is yet to come.
	expect((await receiver.post('{"hello":1}', {'X-Request-ID': '1042'})).status).toBe(202);
	expect(receiver.last()).toMatchObject({deliveryId: 'x-request-id:1042'});
	expect((await receiver.post('{"evt":{"id":1042}}')).json['status']).toBe('accepted');
	expect((await receiver.post('{"evt":{"id":1042}}')).json['status']).toBe('duplicate');
	expect((await receiver.post('{"hello":1}', {'X-Request-ID': '1042'})).json['status']).toBe(
		'duplicate',
	);
});

test('what a body is called decides nothing about the identifier in it', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({idFields: ['0.id', 'id']})]});
	const form = {'content-type': 'application/x-www-form-urlencoded', 'X-Request-ID': 'another'};
	for (const body of ['[{"id":"E1"}]', ' {"id":"E2"}', '\n[{"id":"E3"}]']) {
		expect((await receiver.post(body)).json['status']).toBe('accepted');
		expect((await receiver.post(body, form)).json['status']).toBe('duplicate');
	}

	// A form that begins so and is no JSON is a form.
	expect((await receiver.post('[a]=1', form)).json['status']).toBe('accepted');
});
