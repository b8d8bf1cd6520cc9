import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../source/core/events.ts';
import {createBroker} from '../../source/core/reduce.ts';
import {makeDelivery, received} from '../helpers/make.ts';

test('listeners get each event once, in order, together with those of the same turn', async () => {
	const broker = createBroker();
	const batches: Array<readonly GatewayEvent[]> = [];
	broker.subscribe(events => {
		batches.push(events);
	});
	const events = Array.from({length: 5}, () => received(makeDelivery()));

	for (const event of events) {
		broker.emit(event);
	}

	await turn();
	expect(batches).toEqual([events]);
});

test('the state holds an event as soon as it was reported', () => {
	const broker = createBroker();

	broker.emit(received(makeDelivery()));

	expect(broker.getState().totals.received).toBe(1);
	expect(broker.getState()).toBe(broker.getState());
});

test('a listener that throws is dropped, the others go on', async () => {
	const failures: unknown[] = [];
	const broker = createBroker(error => failures.push(error));
	let heard = 0;
	broker.subscribe(() => {
		throw new Error('broken face');
	});
	broker.subscribe(() => {
		heard++;
	});

	broker.emit(received(makeDelivery()));
	await turn();
	broker.emit(received(makeDelivery()));
	await turn();

	expect(failures).toHaveLength(1);
	expect(heard).toBe(2);
});

test('who has left hears nothing more', async () => {
	const broker = createBroker();
	let heard = 0;
	const leave = broker.subscribe(() => {
		heard++;
	});
	leave();

	broker.emit(received(makeDelivery()));
	await turn();

	expect(heard).toBe(0);
});

test('who subscribes in the middle of a turn gets no event that the state holds already', async () => {
	const broker = createBroker();
	broker.subscribe(() => {});
	broker.emit(received(makeDelivery()));
	const heard: GatewayEvent[] = [];

	const before = broker.getState();
	broker.subscribe(events => {
		heard.push(...events);
	});
	const later = received(makeDelivery());
	broker.emit(later);
	await turn();

	expect(before.totals.received).toBe(1);
	expect(heard).toEqual([later]);
});

test('while nobody looks, events are folded into the state 2,048 at a time', () => {
	const broker = createBroker();
	let looks = 0;
	const event: GatewayEvent = {
		get type() {
			looks += 1;
			return 'webhook-disabled' as const;
		},
		at: 0,
	};

	for (let count = 1; count < 2048; count += 1) {
		broker.emit(event);
	}

	expect(looks).toBe(0);
	broker.emit(event);
	expect(looks).toBeGreaterThan(0);
});
