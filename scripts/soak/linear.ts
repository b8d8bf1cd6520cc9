import {fuzzPrompt} from '../../tests/soak/prompt.ts';

const inputsPerRound = 20_000;
const usualRounds = 10;

/** 20,000 random reads at the prompt of `svc --linear` a round, each round with another seed. */
export async function soakLinear({
	rounds = usualRounds,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	let holds = true;
	for (let seed = 1; seed <= rounds; seed++) {
		// oxlint-disable-next-line no-await-in-loop -- one round after the other
		const report = await fuzzPrompt({inputs: inputsPerRound, seed});
		process.stdout.write(`${JSON.stringify({seed, ...report}, undefined, 2)}\n`);
		holds &&= report.illegal.length === 0 && report.allowed > 0;
	}

	return holds;
}
