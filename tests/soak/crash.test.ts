import {expect, test} from 'vitest';
import {crashPoints, crashRounds} from './crash.ts';
import {routeKinds} from './kinds.ts';

// A life has some sixty events, about a thousand in all: more of them are more of the same for each kill, and all of them have to be worked
// off at the end. The soak sends as fast as it can.
const pauseMs = 20;

test('"whatever was answered 202 survives kill -9": at each step of a delivery, no promise is broken and nothing is done twice', async () => {
	const report = await crashRounds({rounds: crashPoints.length, points: crashPoints, pauseMs});
	expect(report.broken).toEqual([]);
	expect(Object.keys(report.acknowledged).toSorted()).toEqual(
		routeKinds.map(({route}) => route).toSorted(),
	);
	expect(report.paced.promised).toBeGreaterThan(0);
	const missed = Object.entries(report.reached).filter(([, count]) => count === 0);
	expect(missed).toEqual([]);
}, 240_000);

test('the same at random moments', async () => {
	const report = await crashRounds({rounds: 3, points: [{name: 'a random moment'}], pauseMs});
	expect(report.broken).toEqual([]);
}, 240_000);
