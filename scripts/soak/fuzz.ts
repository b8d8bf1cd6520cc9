import {fuzzRequests} from '../../tests/soak/fuzz.ts';

const requestsPerRound = 5000;

/** 5,000 broken requests a round, each round with another seed; one round unless said otherwise. */
export async function soakFuzz({
	rounds = 1,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	let holds = true;
	for (let seed = 1; seed <= rounds; seed++) {
		const report = await fuzzRequests({requests: requestsPerRound, seed});
		process.stdout.write(`${JSON.stringify({seed, ...report}, undefined, 2)}\n`);
		holds &&= report.strange.length === 0;
	}

	return holds;
}
