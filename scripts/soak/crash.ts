import {randomOf, runSeed} from '../../tests/helpers/random.ts';
import {crashPoints, crashRounds} from '../../tests/soak/crash.ts';
import {median} from '../bench/statistics.ts';

const roundsOfEach = 50;

/** `rounds` (100 in all unless said otherwise) kills, half of them at the named points. Prints what it found; false when a promise was broken. */
export async function soakCrash({rounds}: {readonly rounds: number | undefined}): Promise<boolean> {
	const each = rounds === undefined ? roundsOfEach : Math.ceil(rounds / 2);
	process.stdout.write(`drawn with SEED=${runSeed}\n`);
	const random = randomOf(runSeed);
	let holds = true;
	for (const points of [crashPoints, [{name: 'a random moment'}]]) {
		const report = await crashRounds({
			rounds: each,
			points,
			random,
			onRound(round, {name}) {
				process.stderr.write(`round ${round + 1} of ${each}: ${name}\n`);
			},
		});
		const {restartMs, ...facts} = report;
		process.stdout.write(
			`${JSON.stringify({...facts, restartMedianMs: Math.round(median(restartMs))}, undefined, 2)}\n`,
		);
		holds &&= report.broken.length === 0;
	}

	return holds;
}
