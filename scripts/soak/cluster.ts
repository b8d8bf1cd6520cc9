import {startPostgres} from '../../tests/helpers/postgres.ts';
import {randomOf, runSeed} from '../../tests/helpers/random.ts';
import {cutConnections} from '../../tests/soak/cluster/cuts.ts';
import {disturbCluster} from '../../tests/soak/cluster/disturb.ts';
import {killHolder, stopHolders} from '../../tests/soak/cluster/holders.ts';
import {floodWindows, raceSameIds} from '../../tests/soak/cluster/races.ts';
import {startTogether} from '../../tests/soak/cluster/starts.ts';

const usualRounds = 100;

/** What is done in each part, for so many rounds. Parts that need what the machine has run alone. */
const parts: Readonly<
	Record<string, (rounds: number) => Promise<{readonly wrong: readonly string[]}>>
> = {
	disturbed: async rounds =>
		disturbCluster({
			rounds,
			random: randomOf(runSeed),
			onRound(round, kind) {
				process.stderr.write(`round ${round + 1} of ${rounds}: ${kind}\n`);
			},
		}),
	cut: async rounds => cutConnections({cuts: rounds, random: randomOf(runSeed)}),
	holders: async rounds => loseHolders(Math.ceil(rounds / 50)),
	sameIds: async rounds => {
		await using postgres = await startPostgres();
		return await raceSameIds(postgres, {rounds: 2 * rounds});
	},
	windows: async rounds => {
		await using postgres = await startPostgres();
		return await floodWindows(postgres, {
			minutes: Math.ceil(rounds / 20),
			routes: 10,
			pauseMs: 150,
		});
	},
	starts: async rounds => startTogether({rounds: Math.ceil(rounds / 20)}),
};

/** Three clusters at a time, as most of it is waiting for leases: of each, 24 runs lose their holder. */
async function loseHolders(times: number) {
	await using postgres = await startPostgres();
	const reports: Array<Awaited<ReturnType<typeof stopHolders>>> = [];
	for (let time = 0; time < times; time += 1) {
		reports.push(
			// oxlint-disable-next-line no-await-in-loop -- each takes the machine
			...(await Promise.all([
				stopHolders(postgres, {database: `stopped_${time}_1`}),
				stopHolders(postgres, {database: `stopped_${time}_2`}),
				killHolder(postgres, {database: `killed_${time}`}),
			])),
		);
	}

	return {reports, wrong: reports.flatMap(({wrong}) => wrong)};
}

/**
 * What is done to three gateways and their PostgreSQL, part by part: 100 disturbances, 100 connections that are cut, and so on in proportion; `only` names parts. Prints figures of each as it ends;
 * false when a promise was broken.
 */
export async function soakCluster({
	rounds = usualRounds,
	only = Object.keys(parts),
}: {
	readonly rounds: number | undefined;
	readonly only?: readonly string[] | undefined;
}): Promise<boolean> {
	process.stdout.write(`seed ${runSeed}\n`);
	let isSound = true;
	for (const name of only) {
		const perform = parts[name];
		if (!perform) {
			throw new Error(`Cannot soak "${name}": --only takes ${Object.keys(parts).join(', ')}`);
		}

		process.stderr.write(`${name}\n`);
		// oxlint-disable-next-line no-await-in-loop -- one part after the other
		const report = await perform(rounds);
		process.stdout.write(`${JSON.stringify({[name]: report}, undefined, 2)}\n`);
		isSound &&= report.wrong.length === 0;
	}

	return isSound;
}
