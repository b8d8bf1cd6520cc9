import {fuzzApprovals} from '../../tests/soak/approvals.ts';

const inputsPerRound = 100_000;
const usualRounds = 10;

/** So many of a round are drawn by the interface itself, which takes most of the time. */
const onInk = 5_000;

/** 100,000 random inputs a round, half of them with install links besides, each round with another seed; a million unless said otherwise. */
export async function soakApprovals({
	rounds = usualRounds,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	let holds = true;
	for (let seed = 1; seed <= rounds; seed++) {
		for (const [inputs, isOnInk, withInstalls] of [
			[onInk, true, false],
			[onInk, true, true],
			[inputsPerRound / 2 - onInk, false, false],
			[inputsPerRound / 2 - onInk, false, true],
		] as const) {
			const report = await fuzzApprovals({inputs, seed, isOnInk, withInstalls});
			const {allowed, lasting, installed, illegal} = report;
			process.stdout.write(
				`${JSON.stringify({seed, isOnInk, withInstalls, ...report}, undefined, 2)}\n`,
			);
			holds &&= illegal.length === 0 && allowed > 0 && lasting > 0;
			holds &&= !withInstalls || installed > 0;
		}
	}

	return holds;
}
