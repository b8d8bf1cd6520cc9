import {expect, test} from 'vitest';
import type {SignatureSpec} from '../../source/config/route.ts';
import {deliveryIdHeaders, eventHeaders, headersToStore} from '../../source/webhook/headers.ts';
import {deliveryIdOf, eventTypeOf} from '../../source/webhook/identity.ts';
import {eventHeadersFor, idHeadersFor, signedIdOf} from '../../source/webhook/sender-identity.ts';
import {makeRoute} from './start-receiver.ts';

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
		expect(eventTypeOf(others, {}, eventHeadersFor(route))).toEqual({
			name: event,
			source: eventHeader,
		});
		expect(deliveryIdOf(others, idHeadersFor(route))).toEqual({deliveryId: id, idSource: idHeader});
	},
);

test('such headers count for nothing on other routes', () => {
	const headers = {...sent.shopify, ...sent.linear};
	for (const route of [routeOf(), routeOf('stripe'), routeOf('slack')]) {
		expect(eventTypeOf(headers, {}, eventHeadersFor(route)).name).toBe('unknown');
		expect(deliveryIdOf(headers, idHeadersFor(route)).idSource).toBe('random');
		expect(eventHeadersFor(route)).toBe(eventHeaders);
		expect(idHeadersFor(route)).toBe(deliveryIdHeaders);
	}
});

test('without its own headers the general ones count', () => {
	expect(eventTypeOf({}, {type: 'x'}, eventHeadersFor(routeOf('shopify'))).name).toBe('x');
	expect(deliveryIdOf({'x-request-id': 'r'}, idHeadersFor(routeOf('linear'))).deliveryId).toBe('r');
});

test('stripe and slack write the identifier into the body, which is signed', () => {
	expect(signedIdOf(routeOf('stripe'), {id: 'evt_1', event_id: 'x'})).toEqual({
		deliveryId: 'evt_1',
		idSource: 'body.id',
	});
	expect(signedIdOf(routeOf('slack'), {id: 'x', event_id: 'Ev08'})).toEqual({
		deliveryId: 'Ev08',
		idSource: 'body.event_id',
	});
	for (const route of [routeOf(), routeOf('shopify'), routeOf('linear')]) {
		expect(signedIdOf(route, {id: 'evt_1', event_id: 'Ev08'})).toBeUndefined();
	}
});

test.for([null, 5, 'evt_1', ['id'], {}, {id: ''}, {id: 5}, {id: null}])(
	'a body without a plain identifier leaves it to the headers: %j',
	payload => {
		expect(signedIdOf(routeOf('stripe'), payload)).toBeUndefined();
	},
);

test('an identifier in the body that is too long or not printable becomes its digest', () => {
	for (const id of ['x'.repeat(257), 'a\u001b[2J']) {
		expect(signedIdOf(routeOf('stripe'), {id})?.deliveryId).toMatch(/^sha256-[0-9a-f]{64}$/);
	}
});

test('a replay sees the same event: the headers are kept with the delivery', () => {
	const headers = {...sent.shopify, ...sent.linear};
	const received = {...headers, 'linear-signature': 'x', 'stripe-signature': 'x'};
	expect(headersToStore(received, text => text)).toEqual(headers);
});
