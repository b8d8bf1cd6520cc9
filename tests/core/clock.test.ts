import {expect, test} from 'vitest';
import {every, sleep, createBusy} from '../../source/core/clock.ts';
import {createIdSource, numberOfId, timeOfNumber} from '../../source/core/ids.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

test('sleep ends when its time has come, not before', async () => {
	const clock = createFakeClock();
	let awake = false;
	const sleeping = sleep(clock, 100).then(() => {
		awake = true;
	});

	clock.advance(99);
	await Promise.resolve();
	expect(awake).toBe(false);

	clock.advance(1);
	await sleeping;
	expect(awake).toBe(true);
});

test('sleep rejects with the reason of the signal', async () => {
	const clock = createFakeClock();
	const controller = new AbortController();
	const sleeping = sleep(clock, 100, controller.signal);

	controller.abort(new Error('no more'));

	await expect(sleeping).rejects.toThrow('no more');
});

test('every never overlaps a slow task and stops when told', async () => {
	const clock = createFakeClock();
	let started = 0;
	let finish = () => {};
	const stop = every(clock, 10, async () => {
		started++;
		await new Promise<void>(resolve => {
			finish = resolve;
		});
	});

	clock.advance(100);
	expect(started).toBe(1);

	finish();
	await new Promise(resolve => {
		setImmediate(resolve);
	});
	clock.advance(10);
	expect(started).toBe(2);

	stop();
	finish();
	await new Promise(resolve => {
		setImmediate(resolve);
	});
	clock.advance(100);
	expect(started).toBe(2);
});

test('idle is a fact: it waits for every piece of work, also nested, and counts each end once', async () => {
	const busy = createBusy();
	const endOuter = busy.begin();
	const endInner = busy.begin();
	let idle = false;
	const waiting = busy.idle().then(() => {
		idle = true;
	});

	endInner();
	endInner();
	await Promise.resolve();
	expect(idle).toBe(false);

	endOuter();
	await waiting;
	expect(busy.count).toBe(0);
});

test('identifiers grow within a millisecond, with a clock that goes back, and after a restart', () => {
	const clock = createFakeClock(1_800_000_000_000);
	const next = createIdSource(clock);
	const first = next();
	const second = next();
	const restarted = createIdSource(createFakeClock(1_700_000_000_000), second);

	const ids = [first, second, restarted()];

	expect(ids.map(numberOfId)).toEqual(ids.map(numberOfId).toSorted((a, b) => a - b));
	expect(new Set(ids).size).toBe(3);
	expect(ids).toEqual(ids.toSorted());
});

test('sources of several gateways make no identifier twice, however many come in a millisecond, and what is more is of the next', () => {
	const clock = createFakeClock(1_800_000_000_000);
	let late = {slot: 0, of: 1};
	const sources = [
		createIdSource(clock, '', () => ({slot: 0, of: 32})),
		createIdSource(clock, '', () => ({slot: 31, of: 32})),
		createIdSource(clock, '', () => late),
	];
	// Its share is known only once the database answers.
	late = {slot: 7, of: 32};
	const ids = sources.map(next => Array.from({length: 200}, () => next()));

	expect(new Set(ids.flat()).size).toBe(600);
	for (const [index, own] of ids.entries()) {
		const slot = [0, 31, 7][index] ?? 0;
		expect(own).toEqual(own.toSorted());
		for (const [place, id] of own.entries()) {
			const number = numberOfId(id);
			expect(Math.trunc((number % 2048) / 64)).toBe(slot);
			expect(timeOfNumber(number)).toBe(clock.now() + Math.trunc(place / 64));
		}
	}
});

test('an identifier of another gateway that was the last one moves no gateway out of its share', () => {
	const clock = createFakeClock(1_800_000_000_000);
	for (const slot of [3, 20]) {
		const theirs = createIdSource(clock, '', () => ({slot, of: 32}))();
		const id = createIdSource(clock, theirs, () => ({slot: 9, of: 32}))();
		expect(id > theirs).toBe(true);
		expect(Math.trunc((numberOfId(id) % 2048) / 64)).toBe(9);
	}
});
