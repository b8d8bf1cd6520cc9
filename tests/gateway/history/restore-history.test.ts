import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {reduce} from '../../../source/core/reduce.ts';
import {initialState, limits} from '../../../source/core/state.ts';
import {restoreHistory} from '../../../source/gateway/history/restore-history.ts';
import {attention} from '../../../source/tui/shell/status-line.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {acceptRun, leaseOne, sampleDelivery, sampleEntry, startMs} from '../../store/samples.ts';
import {createSqliteHome} from '../../store/sqlite-home.ts';

test('after a restart "! n to decide" comes from the journal, however many newer runs there are', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(startMs);
	let dead = 0;
	{
		await using before = await home.open(clock);
		dead = await acceptRun(before);
		await before.runs.settle(await leaseOne(before), {state: 'dead', error: 'gone'});
		await Promise.all(
			Array.from({length: limits.runs + 200}, async () =>
				acceptRun(before, sampleEntry({}, {maxQueued: 10_000})),
			),
		);
	}

	await using store = await home.open(clock);
	const events: GatewayEvent[] = [];
	let told = (event: GatewayEvent): void => {
		events.push(event);
	};

	using counting = await restoreHistory({
		store,
		taken: store.taken,
		clock,
		log: silentLogger,
		emit(event) {
			told(event);
		},
	});
	expect(counting).toBeDefined();
	let state = reduce(initialState, events);
	expect(attention(state, startMs)).toBe('! 1 run to decide');
	// It can be gone to as well, though it is far behind what was restored of the others.
	expect(state.runs[0]).toMatchObject({id: dead, state: 'dead'});
	expect(state.wholeFrom?.run).toBeGreaterThan(dead);

	await store.runs.retry(dead);
	const counted = new Promise<GatewayEvent>(resolve => {
		told = resolve;
	});
	clock.advance(1000);
	state = reduce(state, [await counted]);
	expect(state.journal?.runsToDecide).toBe(0);
});

test('more of the last hour than is restored is counted from the journal', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(startMs);
	{
		await using before = await home.open(clock);
		await Promise.all(
			Array.from({length: 620}, async (_, index) =>
				before.intake.record({
					delivery: sampleDelivery({receivedAt: startMs - index * 1000}),
					claim: false,
				}),
			),
		);
	}

	await using store = await home.open(clock);
	const counted = Promise.withResolvers<number>();
	const emit = (event: GatewayEvent) => {
		if (event.type === 'traffic-counted') {
			counted.resolve(event.minutes.reduce((sum, {received}) => sum + received, 0));
		}
	};
	using counting = await restoreHistory({
		store,
		taken: store.taken,
		emit,
		clock,
		log: silentLogger,
	});

	expect(counting).toBeDefined();
	expect(await counted.promise).toBe(620);
});
