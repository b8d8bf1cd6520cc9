import {expect, test} from 'vitest';
import {createDeadline} from '../../source/core/clock.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

function begin() {
	const clock = createFakeClock();
	const due: number[] = [];
	const deadline = createDeadline(clock, () => {
		due.push(clock.monotonic());
	});
	return {clock, due, deadline};
}

test('what is moved on and on happens so long after the last time, with one timer', () => {
	const {clock, due, deadline} = begin();
	for (let word = 0; word < 100; word++) {
		deadline.move(5000);
		expect(clock.timersLeft).toBe(1);
		clock.advance(300);
	}

	expect(due).toEqual([]);
	clock.advance(60_000);
	expect(due).toEqual([99 * 300 + 5000]);
	deadline.move(10);
	clock.advance(10);
	expect(due).toHaveLength(2);
	expect(clock.timersLeft).toBe(0);
});

test('it can be moved nearer, and called off', () => {
	const {clock, due, deadline} = begin();
	deadline.move(300_000);
	deadline.move(1000);
	clock.advance(1000);
	expect(due).toEqual([1000]);
	deadline.move(1000);
	deadline.clear();
	clock.advance(10_000);
	expect(due).toEqual([1000]);
	deadline.move(500);
	clock.advance(500);
	expect(due).toEqual([1000, 11_500]);
	deadline.move(500);
	deadline[Symbol.dispose]();
	expect(clock.timersLeft).toBe(0);
});
