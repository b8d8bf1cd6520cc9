import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {createPaces, planStart, type Pace} from '../../source/store/limits/paces.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

/** The paces of events that come at `times`, seconds. */
function startsOf(limit: number, times: readonly number[]): readonly Pace[] {
	const starts: Pace[] = [];
	for (const time of times) {
		starts.push(planStart(starts.at(-1), limit, time * 1000));
	}

	return starts;
}

const inSeconds = (paces: readonly Pace[]) => paces.map(({startAt}) => startAt / 1000);

/** A route of the default profile. */
const named = (route: string) => ({profile: 'default', route});

const at = (time: number, count: number) => Array.from({length: count}, () => time);

test.for([
	['up to the limit at once', 3, at(0, 3), [0, 0, 0]],
	['the first beyond it when the next window begins', 3, at(10, 4), [10, 10, 10, 70]],
	['what follows, spread evenly', 3, at(0, 6), [0, 0, 0, 60, 80, 100]],
	['k-th beyond it: window ceil(k / limit) ahead', 2, at(0, 7), [0, 0, 60, 90, 120, 150, 180]],
	[
		'a new window begins with the event that comes after the last one ended',
		1,
		[0, 100, 101],
		[0, 100, 160],
	],
	['a window counts what was promised to it', 2, [0, 0, 0, 65, 66], [0, 0, 60, 90, 120]],
	['a promised place that has passed is free at once', 2, [0, 0, 0, 95, 96], [0, 0, 60, 95, 120]],
	['a backlog that was worked off is over', 1, [0, 0, 121], [0, 60, 121]],
	['limit 1', 1, at(0, 4), [0, 60, 120, 180]],
] as const)('starts: %s', ([, limit, times, expected]) => {
	expect(inSeconds(startsOf(limit, times))).toEqual(expected);
});

const arrivals = fc.record({
	limit: fc.integer({min: 1, max: 40}),
	gaps: fc.array(
		fc.oneof(
			fc.constant(0),
			fc.integer({max: 200_000, min: 0}),
			fc.double({min: 0, max: 5000, noNaN: true}),
		),
		{
			maxLength: 300,
		},
	),
});

/** Times of arrival, milliseconds. */
function timesOf(gaps: readonly number[]): readonly number[] {
	let now = 0;
	return gaps.map(gap => {
		now += gap;
		return now;
	});
}

function windowsOf(paces: readonly Pace[]): ReadonlyMap<number, readonly number[]> {
	const windows = new Map<number, number[]>();
	for (const {windowStartsAt, startAt} of paces) {
		windows.set(windowStartsAt, [...(windows.get(windowStartsAt) ?? []), startAt]);
	}

	return windows;
}

test('never more than `limit` starts per window; windows do not overlap and hold their starts', () => {
	fc.assert(
		fc.property(arrivals, ({limit, gaps}) => {
			const windows = windowsOf(
				startsOf(
					limit,
					timesOf(gaps).map(time => time / 1000),
				),
			);
			let end = -Infinity;
			for (const [from, starts] of windows) {
				expect(starts.length).toBeLessThanOrEqual(limit);
				expect(from).toBeGreaterThanOrEqual(end);
				end = from + 60_000;
				expect(starts.every(start => start >= from && start < end)).toBe(true);
			}
		}),
	);
});

test('a burst at the very end of a full window starts at once: the next one is promised to nobody', () => {
	expect(inSeconds(startsOf(3, [...at(0, 3), ...at(60, 3)]))).toEqual([...at(0, 3), ...at(60, 3)]);
});

test('the order is kept, nothing starts before it came, and a place in time is used at once', () => {
	fc.assert(
		fc.property(arrivals, ({limit, gaps}) => {
			const times = timesOf(gaps);
			const starts: Pace[] = [];
			for (const time of times) {
				const before = starts.at(-1);
				const pace = planStart(before, limit, time);
				expect(pace.startAt).toBeGreaterThanOrEqual(Math.max(time, before?.startAt ?? 0));
				const isIdle = !before || time >= before.windowStartsAt + 60_000;
				expect(!isIdle || pace.startAt === time).toBe(true);
				starts.push(pace);
			}
		}),
	);
});

test('a limit that changes breaks neither the order nor a window', () => {
	fc.assert(
		fc.property(
			fc.array(
				fc.record({gap: fc.integer({min: 0, max: 30_000}), limit: fc.integer({min: 1, max: 10})}),
				{maxLength: 200},
			),
			steps => {
				let now = 0;
				let pace: Pace | undefined;
				for (const {gap, limit} of steps) {
					now += gap;
					const next = planStart(pace, limit, now);
					expect(next.startAt).toBeGreaterThanOrEqual(Math.max(now, pace?.startAt ?? 0));
					expect(next.startAt).toBeLessThan(next.windowStartsAt + 60_000);
					expect(next.used).toBeLessThanOrEqual(limit);
					pace = next;
				}
			},
		),
	);
});

test('routes do not share their paces, and those whose window has passed are forgotten', async () => {
	const clock = createFakeClock();
	const paces = createPaces(clock);
	for (let index = 0; index < 3000; index++) {
		expect(await paces.enter(named(`route ${index}`), 1)).toBe(1);
	}

	clock.advance(60_000);
	expect(await paces.enter(named('another'), 1)).toBe(1);
	expect(await paces.enter(named('route 7'), 1)).toBe(1);
	expect(await paces.enter(named('route 7'), 1)).toBeUndefined();
});
