// @module-tag slow
import {expect, test} from 'vitest';
import {runSeed} from '../../helpers/random.ts';
import {fuzzPrompt} from '../../soak/prompt.ts';

test('no line and no key at the prompt allows anything that was not shown whole and agreed to', async () => {
	const {allowed, illegal} = await fuzzPrompt({inputs: 1200, seed: runSeed % 100_000});

	expect(illegal).toEqual([]);
	// A prompt that refuses everybody would pass otherwise.
	expect(allowed).toBeGreaterThan(0);
});

test.for([
	['a yes that comes too soon', {restMs: 60_000}, 'it was there for'],
	['what was not shown', {mark: 'zzz'}, 'marks were never shown'],
] as const)('the fuzz notices %s', async ([, broken, complaint]) => {
	const {illegal} = await fuzzPrompt({inputs: 600, seed: 5, ...broken});
	expect(illegal.join('\n')).toContain(complaint);
});
