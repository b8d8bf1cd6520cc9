import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {createServerEventThrottle} from '../../../source/gateway/servers/server-news.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {makeServer} from '../../helpers/make-server.ts';

function open() {
	const clock = createFakeClock();
	const told: string[] = [];
	const news = createServerEventThrottle({
		clock,
		emit(event: GatewayEvent) {
			if (event.type === 'server-changed') {
				told.push(`${event.server.name} ${event.server.activeCalls}`);
			} else if (event.type === 'server-removed') {
				told.push(`${event.name} removed`);
			}
		},
	});
	return {clock, news, told, crm: (activeCalls: number) => makeServer({name: 'crm', activeCalls})};
}

test('a server that changes all the time is told of ten times a second, with its last state', () => {
	const {clock, news, told, crm} = open();

	for (let calls = 0; calls < 100; calls++) {
		news.changed(crm(calls));
		clock.advance(10);
	}

	clock.advance(100);
	expect(told).toHaveLength(11);
	expect(told[0]).toBe('crm 0');
	expect(told.at(-1)).toBe('crm 99');
});

test('servers do not hold each other up', () => {
	const {news, told, crm} = open();

	news.changed(crm(1));
	news.changed(makeServer({name: 'mail'}));

	expect(told).toEqual(['crm 1', 'mail 0']);
});

test('what waits to be told of a server is not told after its removal', () => {
	const {clock, news, told, crm} = open();

	news.changed(crm(1));
	news.changed(crm(2));
	news.removed({profile: 'default', name: 'crm'});
	clock.advance(1000);

	expect(told).toEqual(['crm 1', 'crm removed']);
});

test('nothing is told after the end', () => {
	const {clock, news, told, crm} = open();

	news.changed(crm(1));
	news.changed(crm(2));
	news[Symbol.dispose]();
	clock.advance(1000);

	expect(told).toEqual(['crm 1']);
});
