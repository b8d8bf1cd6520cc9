import {fuzzStream} from '../../tests/soak/stream.ts';

const eventsPerRound = 100_000;
const usualRounds = 3;

/** 100,000 random events a round, each round with another seed; three rounds unless said otherwise. */
export async function soakStream({
	rounds = usualRounds,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	let holds = true;
	for (let seed = 1; seed <= rounds; seed++) {
		const report = await fuzzStream({events: eventsPerRound, seed});
		process.stdout.write(`${JSON.stringify({seed, ...report}, undefined, 2)}\n`);
		holds &&= report.different.length === 0 && report.compared > 0;
	}

	return holds;
}
