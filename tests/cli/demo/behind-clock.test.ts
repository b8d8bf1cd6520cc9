import {expect, test} from 'vitest';
import {createBehindClock} from '../../../source/cli/demo/play-traffic.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

test('a clock that is behind goes on as fast, leaps, and becomes the other one', () => {
	const clock = createFakeClock(10_000);
	const behind = createBehindClock(clock, 4000);
	const started = behind.monotonic();
	expect(behind.now()).toBe(6000);

	clock.advance(100);
	expect(behind.now()).toBe(6100);

	behind.leap(1000);
	expect([behind.now(), behind.monotonic() - started, behind.behindMs()]).toEqual([
		7100, 1100, 3000,
	]);

	behind.leap(50_000);
	expect([behind.now(), behind.behindMs()]).toEqual([clock.now(), 0]);
	expect(behind.monotonic() - started).toBe(4100);
});

test('a leap lets timers happen that are due, once and in their order, and the others later', () => {
	const clock = createFakeClock();
	const behind = createBehindClock(clock, 60_000);
	const happened: string[] = [];
	const every = () => {
		happened.push('every second');
		behind.after(1000, every);
	};

	behind.after(1000, every);
	behind.after(500, () => happened.push('first'));
	const cancelled = behind.after(700, () => happened.push('cancelled'));
	behind.after(600, () => {
		cancelled();
	});
	behind.after(30_000, () => happened.push('late'));
	behind.leap(10_000);
	expect(happened).toEqual(['first', 'every second']);

	clock.advance(1000);
	expect(happened).toEqual(['first', 'every second', 'every second']);

	behind.leap(19_000);
	expect(happened.slice(3)).toEqual(['every second', 'late']);
});

test('a timer runs out by itself, and a cancelled one never', () => {
	const clock = createFakeClock();
	const behind = createBehindClock(clock, 5000);
	const happened: string[] = [];
	behind.after(200, () => happened.push('one'));
	behind.after(200, () => happened.push('two'))();
	clock.advance(200);

	expect(happened).toEqual(['one']);
	expect(clock.timersLeft).toBe(0);
});
