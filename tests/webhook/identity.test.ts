import {expect, test} from 'vitest';
import {deliveryIdOf, eventTypeOf} from '../../source/webhook/identity.ts';

test('event type: first non-empty of the headers, then `event_type`, then `type`, else `unknown`', () => {
	const payload = {event_type: 'a', type: 'b'};
	expect(eventTypeOf({'x-forge-event': 'push', 'x-forge2-event': 'Push Hook'}, payload)).toEqual({
		name: 'push',
		source: 'x-forge-event',
	});
	expect(eventTypeOf({'x-forge-event': '', 'x-forge2-event': 'Push Hook'}, payload).name).toBe(
		'Push Hook',
	);
	for (const name of ['x-github-event', 'x-gitlab-event', 'x-gitea-event', 'x-forgejo-event']) {
		expect(eventTypeOf({[name]: 'e'}, payload)).toEqual({name: 'e', source: name});
	}

	expect(eventTypeOf({}, payload)).toEqual({name: 'a', source: 'event_type'});
	expect(eventTypeOf({}, {event_type: '', type: 'b'})).toEqual({name: 'b', source: 'type'});
	expect(eventTypeOf({}, {event_type: 5, type: ['x']}).name).toBe('unknown');
	expect(eventTypeOf({}, [{type: 'b'}]).name).toBe('unknown');
	expect(eventTypeOf({}, {}).name).toBe('unknown');
});

test('delivery id: `X-Forge-Delivery`, `svix-id`, `webhook-id`, `X-Request-ID`, first present wins', () => {
	const headers = {
		'x-forge-delivery': 'a',
		'x-github-delivery': 'b',
		'x-gitea-delivery': 'c',
		'x-forgejo-delivery': 'd',
		'svix-id': 'e',
		'webhook-id': 'f',
		'x-gitlab-event-uuid': 'g',
		'x-request-id': 'h',
	};
	const entries = Object.entries(headers);
	for (const [index, [name, value]] of entries.entries()) {
		const later = Object.fromEntries(entries.slice(index));
		expect(deliveryIdOf(later)).toEqual({deliveryId: value, idSource: name});
	}

	expect(deliveryIdOf({'x-forge-delivery': '', 'svix-id': 'e'}).idSource).toBe('svix-id');
});

test('otherwise a random per-request ID', () => {
	const [left, right] = [deliveryIdOf({}), deliveryIdOf({})];
	expect(left.idSource).toBe('random');
	expect(left.deliveryId).not.toBe(right.deliveryId);
});

test('an id that is too long or not printable becomes its digest; different ones stay different', () => {
	const idOf = (id: string) => deliveryIdOf({'x-request-id': id}).deliveryId;
	expect(idOf('x'.repeat(256))).toBe('x'.repeat(256));
	for (const id of ['x'.repeat(257), 'a\tb', 'é', '\u009b2J']) {
		expect(idOf(id)).toMatch(/^sha256-[0-9a-f]{64}$/);
	}

	expect(idOf(`${'x'.repeat(300)}1`)).not.toBe(idOf(`${'x'.repeat(300)}2`));
});
