import {randomOf, runSeed} from '../../tests/helpers/random.ts';
import {killBetweenParts} from '../../tests/soak/parts.ts';

const usualRounds = 50;

/** Kills between the parts of a long answer, 50 unless `rounds` says otherwise. Prints what it found; false when a part was lost or came twice. */
export async function soakParts({
	rounds = usualRounds,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	process.stdout.write(`drawn with SEED=${runSeed}\n`);
	const report = await killBetweenParts({
		rounds,
		random: randomOf(runSeed),
		onRound(round, what) {
			process.stderr.write(`round ${round + 1} of ${rounds}: ${what}\n`);
		},
	});
	process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
	return report.broken.length === 0;
}
