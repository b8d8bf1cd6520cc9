import {fuzzApprovals} from '../../tests/soak/approvals.ts';

const inputsPerRound = 100_000;
const usualRounds = 10;

/** So many of a round are drawn by the interface itself, which takes most of the time. */
const onInk = 10_000;

/** 100,000 random inputs a round, each round with another seed; a million unless said otherwise. */
export async function soakApprovals({
	rounds = usualRounds,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	let holds = true;
	for (let seed = 1; seed <= rounds; seed++) {
		for (const [inputs, isOnInk] of [
			[onInk, true],
			[inputsPerRound - onInk, false],
		] as const) {
			const report = await fuzzApprovals({inputs, seed, isOnInk});
			process.stdout.write(`${JSON.stringify({seed, isOnInk, ...report}, undefined, 2)}\n`);
			holds &&= report.illegal.length === 0 && report.allowed > 0 && report.lasting > 0;
		}
	}

	return holds;
}
