// @module-tag slow
import {expect, test} from 'vitest';
import {runSeed} from '../../helpers/random.ts';
import {fuzzPrompt} from '../../soak/prompt.ts';

test('no line and no key at the prompt allows anything that was not shown whole and agreed to', async () => {
	// About eight of 1,200 inputs are a yes that counts, and a draw may have none: then it is drawn again. A prompt that refuses everybody never has one.
	let allowed = 0;
	for (let draw = 0; allowed === 0 && draw < 4; draw += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one prompt after the other
		const drawn = await fuzzPrompt({inputs: 1200, seed: (runSeed + draw) % 100_000});
		expect(drawn.illegal).toEqual([]);
		({allowed} = drawn);
	}

	expect(allowed).toBeGreaterThan(0);
});

test.for([
	['a yes that comes too soon', {restMs: 60_000}, 'it was there for'],
	['what was not shown', {mark: 'zzz'}, 'marks were never shown'],
] as const)('the fuzz notices %s', async ([, broken, complaint]) => {
	const {illegal} = await fuzzPrompt({inputs: 600, seed: 5, ...broken});
	expect(illegal.join('\n')).toContain(complaint);
});
