import {expect, test} from 'vitest';
import {crashPoints, crashRounds} from './crash.ts';
import {routeKinds} from './kinds.ts';

test('"whatever was answered 202 survives kill -9": at each step of a delivery, no promise is broken and nothing is done twice', async () => {
	const report = await crashRounds({rounds: crashPoints.length, points: crashPoints});
	expect(report.broken).toEqual([]);
	expect(Object.keys(report.acknowledged).toSorted()).toEqual(
		routeKinds.map(({route}) => route).toSorted(),
	);
	expect(report.paced.promised).toBeGreaterThan(0);
	const missed = Object.entries(report.reached).filter(([, count]) => count === 0);
	expect(missed).toEqual([]);
}, 240_000);

test('the same at random moments', async () => {
	const report = await crashRounds({rounds: 3, points: [{name: 'a random moment'}]});
	expect(report.broken).toEqual([]);
}, 240_000);
