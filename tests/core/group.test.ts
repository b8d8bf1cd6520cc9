import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {dueOf, stepGroup, type GroupStep} from '../../source/core/group.ts';
import {withSupersededNote} from '../../source/store/run-reader.ts';

const window = {windowMs: 30_000, maxWaitMs: 300_000};

test('"none: event arrives: pending": the quiet window and the cap begin', () => {
	expect(stepGroup(undefined, window, 1000)).toEqual({
		kind: 'open',
		next: {firstAt: 1000, lastAt: 1000, quietAt: 31_000, capAt: 301_000, count: 1},
	});
});

test('"another event, same key: quiet timer restarts; superseded count grows", and the cap stays', () => {
	const {next} = stepGroup(undefined, window, 1000);
	expect(stepGroup(next, window, 30_999)).toEqual({
		kind: 'join',
		next: {firstAt: 1000, lastAt: 30_999, quietAt: 60_999, capAt: 301_000, count: 2},
	});
});

test.for([
	{quietAt: 10, capAt: 20, now: 9, ended: undefined},
	{quietAt: 10, capAt: 20, now: 10, ended: 'quiet'},
	{quietAt: 30, capAt: 20, now: 19, ended: undefined},
	{quietAt: 30, capAt: 20, now: 20, ended: 'cap'},
	{quietAt: 20, capAt: 20, now: 20, ended: 'quiet'},
	{quietAt: 30, capAt: 20, now: 99, ended: 'cap'},
] as const)(
	'quiet at $quietAt, cap at $capAt, an event at $now: the group that waits is over for $ended',
	({quietAt, capAt, now, ended}) => {
		const step = stepGroup({firstAt: 0, quietAt, capAt, count: 3}, window, now);
		expect(step).toMatchObject(
			ended === undefined
				? {kind: 'join', next: {count: 4, firstAt: 0}}
				: {kind: 'open', ended, next: {count: 1, firstAt: now}},
		);
	},
);

test("the event's own windows count from here on, the cap from the first event", () => {
	const {next} = stepGroup(undefined, window, 0);
	const later = stepGroup(next, {windowMs: 5000, maxWaitMs: 60_000}, 10_000);
	expect(later).toMatchObject({kind: 'join', next: {quietAt: 15_000, capAt: 60_000}});
	expect(dueOf(later.next)).toEqual({at: 15_000, reason: 'quiet'});
});

test('"max_wait_seconds since first event": no order of events makes a group wait longer, and no event is in two', () => {
	const gaps = fc.array(fc.integer({min: 0, max: 40}), {minLength: 1, maxLength: 60});
	const times = fc.record({
		windowMs: fc.integer({min: 0, max: 30}),
		maxWaitMs: fc.integer({min: 0, max: 100}),
	});
	fc.assert(
		fc.property(gaps, times, (waits, own) => {
			let [now, counted] = [0, 0];
			let group: GroupStep['next'] | undefined;
			for (const [index, wait] of waits.entries()) {
				now += wait;
				const step = stepGroup(group, own, now);
				counted += step.kind === 'open' ? (group?.count ?? 0) : 0;
				expect(dueOf(step.next).at).toBeLessThanOrEqual(step.next.firstAt + own.maxWaitMs);
				expect(dueOf(step.next).at).toBeLessThanOrEqual(now + own.windowMs);
				expect(step.kind === 'open').toBe(group === undefined || now >= dueOf(group).at);
				expect(counted + step.next.count).toBe(index + 1);
				group = step.next;
			}
		}),
	);
	expect.hasAssertions();
});

test.for([
	[0, 'Look'],
	[1, 'Look\n\n[1 earlier event for this key was superseded by this one]'],
	[2, 'Look\n\n[2 earlier events for this key were superseded by this one]'],
	[41, 'Look\n\n[41 earlier events for this key were superseded by this one]'],
] as const)(
	'"a note giving how many earlier events were superseded": %i',
	([superseded, expected]) => {
		expect(withSupersededNote('Look', superseded)).toBe(expected);
	},
);
