import {randomOf, runSeed} from '../../tests/helpers/random.ts';
import {disturbCluster} from '../../tests/soak/cluster.ts';

const usualRounds = 100;

/** 100 disturbances of three gateways and their PostgreSQL unless said otherwise. */
export async function soakCluster({
	rounds = usualRounds,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	const report = await disturbCluster({
		rounds,
		random: randomOf(runSeed),
		onRound(round, kind) {
			process.stderr.write(`round ${round + 1} of ${rounds}: ${kind}\n`);
		},
	});
	process.stdout.write(`${JSON.stringify({seed: runSeed, ...report}, undefined, 2)}\n`);
	return report.wrong.length === 0;
}
