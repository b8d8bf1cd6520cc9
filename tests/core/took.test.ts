import {expect, test} from 'vitest';
import {tookWords} from '../../source/core/run.ts';

test.for([
	[{}, undefined],
	[{startedAt: 1000}, '4s'],
	[{startedAt: 9000}, '0s'],
	[{startedAt: 1000, finishedAt: 1234}, '0.2s'],
	[{startedAt: 1000, finishedAt: 60_999}, '59.9s'],
	[{startedAt: 1000, finishedAt: 61_000}, '1:00'],
	[{startedAt: 1000, finishedAt: 3_726_000}, '1:02:05'],
] as const)('at 5 s, %j took %s', ([run, words]) => {
	expect(tookWords(run, 5000)).toBe(words);
});
