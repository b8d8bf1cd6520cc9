import {expect, test} from 'vitest';
import {createGuard} from '../../../source/tui/approvals/guard.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const alone = (t: number) => ({t, alone: true});

test('nothing is permitted before it was drawn, nor within half a second of it', () => {
	const clock = createFakeClock();
	using guard = createGuard(clock);
	expect(guard.permits('1', alone(10_000))).toBe(false);
	expect(guard.waitMs('1')).toBeUndefined();
	guard.shown('1');
	expect(guard.permits('1', alone(499))).toBe(false);
	expect(guard.permits('1', alone(500))).toBe(true);
	expect(guard.permits('2', alone(500))).toBe(false);
});

test('a key that was read before the sheet was drawn permits nothing, however late it is handled', () => {
	const clock = createFakeClock(1000);
	using guard = createGuard(clock);
	guard.shown('1');
	clock.advance(5000);

	expect(guard.permits('1', alone(900))).toBe(false);
});

test('what came with other bytes in one read permits nothing', () => {
	using guard = createGuard(createFakeClock());
	guard.shown('1');

	expect(guard.permits('1', {t: 5000, alone: false})).toBe(false);
});

test('"300 ms after terminal focus-in"', () => {
	const clock = createFakeClock();
	using guard = createGuard(clock);
	guard.shown('1');
	clock.advance(2000);
	guard.focused();

	expect(guard.permits('1', alone(2299))).toBe(false);
	expect(guard.permits('1', alone(2300))).toBe(true);
});

test('drawing the same again does not arm anew; asking anew does', () => {
	const clock = createFakeClock();
	using guard = createGuard(clock);
	guard.shown('1');
	clock.advance(400);
	guard.shown('1');
	expect(guard.permits('1', alone(500))).toBe(true);
	guard.asked();
	expect(guard.permits('1', alone(500))).toBe(false);
	guard.shown('1');
	expect(guard.permits('1', alone(899))).toBe(false);
	expect(guard.permits('1', alone(900))).toBe(true);
});

test('after what had the keyboard went away no key is heard for half a second', () => {
	const clock = createFakeClock(1000);
	using guard = createGuard(clock);
	guard.gone();

	expect(guard.hears({t: 1499})).toBe(false);
	expect(guard.hears({t: 1500})).toBe(true);
});

test('the focus that comes back does not shorten the wait of who was disturbed', () => {
	const clock = createFakeClock();
	using guard = createGuard(clock);
	guard.shown('1');
	clock.advance(2000);
	guard.disturbed(2000);
	guard.focused();

	expect(guard.permits('1', alone(2499))).toBe(false);
	expect(guard.permits('1', alone(2500))).toBe(true);
});

test('what went away has to be drawn again before it is permitted', () => {
	const clock = createFakeClock();
	using guard = createGuard(clock);
	guard.shown('1');
	guard.gone();
	clock.advance(5000);

	expect(guard.permits('1', alone(5000))).toBe(false);
});

test('the countdown ticks while it runs, and then no more', () => {
	const clock = createFakeClock();
	using guard = createGuard(clock);
	let ticks = 0;
	guard.ticks.subscribe(() => {
		ticks++;
	});
	guard.shown('1');
	clock.advance(10_000);

	expect(ticks).toBe(6);
	expect(guard.waitMs('1')).toBe(0);
});
