// @module-tag slow
import {expect, test} from 'vitest';
import {hasPostgres} from '../../helpers/postgres.ts';
import {randomOf, runSeed} from '../../helpers/random.ts';
import {cutConnections} from './cuts.ts';
import {disturbCluster} from './disturb.ts';

// Few events, and nothing after which a run has to wait for its lease to run out; the soak does the rest.
const few = {random: randomOf(runSeed), pauseMs: 50};

test.runIf(hasPostgres)(
	'three gateways on one database lose nothing and do nothing twice, whatever is drained, stopped or cut',
	async () => {
		const [disturbed, cut] = await Promise.all([
			disturbCluster({
				...few,
				rounds: 2,
				kinds: ['drain a gateway', 'stop a gateway for a while'],
			}),
			cutConnections({...few, cuts: 5, sides: ['before']}),
		]);
		expect([...disturbed.wrong, ...cut.wrong]).toEqual([]);
		expect(disturbed.accepted).toBeGreaterThan(0);
		expect(cut.accepted).toBeGreaterThan(0);
	},
	240_000,
);
