import {expect, test} from 'vitest';
import {fuzzApprovals} from '../../soak/approvals.ts';

test('"no `allow` reaches the port without a legal allow key after arming with everything shown": 20,000 inputs', async () => {
	const {inputs, allowed, denied, illegal} = await fuzzApprovals({inputs: 20_000, seed: 7});

	expect(illegal).toEqual([]);
	expect(inputs).toBeGreaterThanOrEqual(20_000);
	// Legal keys do allow: a sheet that refuses everybody would pass otherwise.
	expect(allowed).toBeGreaterThan(20);
	expect(denied).toBeGreaterThan(20);
});

test('the fuzz notices a guard that lets every key allow', async () => {
	const {illegal} = await fuzzApprovals({inputs: 3000, seed: 7, permits: () => true});

	expect(illegal.length).toBeGreaterThan(0);
});

test('the fuzz notices a guard that takes bursts', async () => {
	const {illegal} = await fuzzApprovals({
		inputs: 5000,
		seed: 7,
		permits: (_, {alone}) => !alone,
	});

	expect(illegal.length).toBeGreaterThan(0);
});
