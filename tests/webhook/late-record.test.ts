import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {SvcError} from '../../source/core/errors.ts';
import {createLogger} from '../../source/core/log.ts';
import type {Intake} from '../../source/store/port.ts';
import {createLateRecords} from '../../source/webhook/journal-event.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {sampleDelivery} from '../store/samples.ts';

const hourMs = 3_600_000;

const setUp = () => {
	const clock = createFakeClock();
	const state = {fails: true, tries: 0, recorded: [] as string[], log: [] as string[]};
	const intake: Intake = {
		accept: async () => ({kind: 'full', queued: 0, most: 0}),
		holderOf: async () => undefined,
		reserve: async () => ({kind: 'reserved'}),
		async record({delivery}) {
			state.tries += 1;
			if (state.fails) {
				throw new SvcError('journal_unavailable', 'the disk is full');
			}

			state.recorded.push(delivery.id);
		},
		note() {},
	};
	const log = createLogger({
		clock,
		redact: text => text,
		write: ({level, message}) => {
			state.log.push(`${level} ${message}`);
		},
	});
	return {clock, state, late: createLateRecords({intake, clock, log})};
};

const send = async (late: ReturnType<typeof setUp>['late'], claim = true) => {
	const delivery = sampleDelivery();
	await expect(late.intake.record({delivery, claim})).rejects.toThrow('the disk is full');
	return delivery;
};

test('a record that failed is tried again until it is written', async () => {
	const {clock, state, late} = setUp();
	const delivery = await send(late);
	clock.advance(2000);
	await turn();
	state.fails = false;
	clock.advance(10_000);
	await turn();
	expect(state.recorded).toEqual([delivery.id]);
	expect(state.log).toEqual(['info Recorded a delivery that the journal had refused']);

	clock.advance(hourMs);
	await turn();
	expect(state.tries).toBe(3);
});

test('after six tries it is given up and said', async () => {
	const {clock, state, late} = setUp();
	await send(late);
	for (const delayMs of [2000, 10_000, 60_000, 300_000, 900_000, 1_000_000]) {
		clock.advance(delayMs);
		// oxlint-disable-next-line no-await-in-loop -- each try is planned by the one before
		await turn();
	}

	expect(state.tries).toBe(6);
	expect(state.log).toEqual([
		'error Cannot record a delivery, its identifier stays taken for the hour: the disk is full',
	]);
});

test('at most 64 records wait', async () => {
	const {clock, state, late} = setUp();
	await Promise.all(Array.from({length: 70}, async () => send(late)));
	state.fails = false;
	clock.advance(2000);
	await turn();
	expect(state.recorded).toHaveLength(64);
});

test('that an identifier is free again is recorded before it is taken once more', async () => {
	const {clock, state, late} = setUp();
	const delivery = await send(late, false);
	state.fails = false;
	const repeated = {...sampleDelivery(), deliveryId: delivery.deliveryId};
	expect(await late.intake.reserve(repeated, hourMs)).toEqual({kind: 'reserved'});
	expect(state.recorded).toEqual([delivery.id]);
	clock.advance(hourMs);
	await turn();
	expect(state.tries).toBe(2);
});

test('closing tries what waits a last time and leaves no timer', async () => {
	const {clock, state, late} = setUp();
	const delivery = await send(late);
	state.fails = false;
	late.close();
	await turn();
	expect(state.recorded).toEqual([delivery.id]);
	clock.advance(hourMs);
	await turn();
	expect(state.tries).toBe(2);
});
