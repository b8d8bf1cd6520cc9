// @module-tag slow
import {expect, test} from 'vitest';
import {randomOf, runSeed} from '../helpers/random.ts';
import {type CrashPoint, crashRounds, crashSteps} from './crash.ts';
import {routeKinds} from './kinds.ts';

// More events are more of the same for each kill, and all of them have to be worked off at the end. The soak sends as fast as it can, goes to
// both sides of each commit, and further on in a life.
const few = {pauseMs: 20, among: 4};

const random = randomOf(runSeed);

/** One side of each step: what one day's choice misses, another day's finds. */
const chosen: readonly CrashPoint[] = crashSteps.flatMap(
	points => points[Math.floor(random() * points.length)] ?? [],
);
const points = [...chosen, {name: 'a random moment'}];

test('"whatever was answered 202 survives kill -9": at each step of a delivery, no promise is broken and nothing is done twice', async () => {
	const report = await crashRounds({rounds: points.length, points, random, ...few});
	expect(report.broken).toEqual([]);
	expect(Object.keys(report.acknowledged).toSorted()).toEqual(
		routeKinds.map(({route}) => route).toSorted(),
	);
	expect(report.paced.promised).toBeGreaterThan(0);
	const missed = Object.entries(report.reached).filter(([, count]) => count === 0);
	expect(missed).toEqual([]);
}, 240_000);
