import {expect, test} from 'vitest';
import {idOfNumber, numberOfTime} from '../../../source/core/ids.ts';
import {countMinutes, countRoutes} from '../../../source/gateway/history/count-routes.ts';
import type {CountQuestion, CountStep, PartCount} from '../../../source/store/history/port.ts';

const now = Date.UTC(2026, 10, 20, 12);
const hourMs = 3_600_000;

const part = (overrides: Partial<PartCount>): PartCount => ({
	profile: 'default',
	route: 'hook',
	part: 23,
	received: 1,
	taken: 0,
	refused: 0,
	...overrides,
});

/** A history that answers these steps, one after the other, the last one again and again. */
function historyOf(...steps: readonly CountStep[]) {
	const asked: CountQuestion[] = [];
	return {
		asked,
		async count(question: CountQuestion) {
			asked.push(question);
			return steps[Math.min(asked.length, steps.length) - 1] ?? {counts: []};
		},
	};
}

test('steps are added up by route, each from where the last one ended', async () => {
	const history = historyOf(
		{
			counts: [
				part({received: 5, taken: 3, refused: 1}),
				part({route: 'other', part: 24}),
				part({route: '', received: 9, refused: 9}),
			],
			newest: 77,
			searchedTo: numberOfTime(now - hourMs),
		},
		{counts: [part({received: 2, taken: 2}), part({part: 0, refused: 1})]},
	);

	const {routes, ...rest} = await countRoutes(history, now);
	expect(rest).toEqual({since: now - 24 * hourMs, until: now, newest: idOfNumber(77)});
	expect(history.asked.map(({before}) => before)).toEqual([undefined, numberOfTime(now - hourMs)]);
	expect(routes.map(({hours, ...sums}) => ({...sums, hours: [hours[0], hours[23]]}))).toEqual([
		{profile: 'default', route: 'hook', taken: 5, ignored: 1, refused: 2, hours: [1, 7]},
		{profile: 'default', route: 'other', taken: 0, ignored: 1, refused: 0, hours: [0, 1]},
	]);
});

test('a day with too much in it is counted as far back as a second reaches, and says so', async () => {
	const reached = now - 2 * hourMs;
	const history = historyOf({counts: [part({})], newest: 9, searchedTo: numberOfTime(reached)});

	const {since, routes} = await countRoutes(history, now);
	expect(since).toBe(reached);
	expect(routes).toMatchObject([{ignored: history.asked.length}]);
	expect(history.asked.length).toBeLessThanOrEqual(17);
});

test('the last hour is counted by minute, of all routes together', async () => {
	const history = historyOf({
		counts: [part({part: 59}), part({part: 59, route: '', refused: 1}), part({part: 0})],
		newest: 9,
	});

	const minute = now / 60_000;
	expect(await countMinutes(history, {now, minutes: 60})).toEqual([
		{minute: minute - 59, received: 1, refused: 0},
		{minute, received: 2, refused: 1},
	]);
	expect(history.asked).toEqual([{from: now - 59 * 60_000, partMs: 60_000}]);
});
