import {expect, test} from 'vitest';
import {createTimer, stopAll} from '../../source/core/clock.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

test('a timer has one moment, that which was set last, and none after its disposal', () => {
	const clock = createFakeClock();
	const timer = createTimer(clock);
	const rung: string[] = [];
	timer.set(100, () => rung.push('first'));
	timer.set(200, () => rung.push(`second, free: ${timer.isFree()}`));
	expect(timer.isFree()).toBe(false);
	clock.advance(300);
	expect(rung).toEqual(['second, free: true']);

	timer.set(100, () => rung.push('cancelled'));
	timer.cancel();
	timer.set(100, () => rung.push('disposed of'));
	timer[Symbol.dispose]();
	timer.set(100, () => rung.push('too late'));
	clock.advance(1000);
	expect([rung.length, timer.isFree()]).toEqual([1, false]);
});

test('what was added to the ways out until the end ends, too', () => {
	const ended: number[] = [];
	const stops = [() => ended.push(1)];
	const stop = stopAll(stops as Array<() => void>);
	stops.push(() => ended.push(2));
	stop();
	expect(ended).toEqual([1, 2]);
});
