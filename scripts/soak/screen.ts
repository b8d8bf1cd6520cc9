import {fuzzScreen} from '../../tests/soak/screen.ts';

const stepsPerRound = 2000;
const usualRounds = 10;

/** 2,000 random steps a round, each round with another seed; ten rounds unless said otherwise. */
export async function soakScreen({
	rounds = usualRounds,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	let holds = true;
	for (let seed = 1; seed <= rounds; seed++) {
		const report = await fuzzScreen({steps: stepsPerRound, seed});
		process.stdout.write(`${JSON.stringify({seed, ...report}, undefined, 2)}\n`);
		holds &&= report.wrong.length === 0 && report.compared > 0;
	}

	return holds;
}
