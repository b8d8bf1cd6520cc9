import {startPostgres} from '../../helpers/postgres.ts';
import {openRig, postEvent} from './rig.ts';

export type StartsReport = {
	/** Times that three gateways found an empty database at once, and times that they waited for a dead one. */
	readonly atOnce: number;
	readonly waited: number;
	/** Answers while there was no database, by status. */
	readonly refused: Readonly<Record<string, number>>;
	/** From the database's start until the last of three listens, milliseconds. */
	readonly slowestOpenMs: number;
	readonly wrong: readonly string[];
};

/** Three gateways start without their database, answer 503, and all open an empty one at once when it comes; one of them has another configuration, which the others name. */
export async function startTogether({rounds}: {readonly rounds: number}): Promise<StartsReport> {
	await using postgres = await startPostgres();
	const refused: Record<string, number> = {};
	const wrong: string[] = [];
	let slowestOpenMs = 0;
	for (let round = 0; round < rounds; round += 1) {
		const url = await postgres.create(`starts_${round}`);
		await postgres.kill('SIGINT');
		await using rig = await openRig({
			urlOf: () => url,
			webhook: {routes: {agent: {prompt: '{id}', deliver: 'log'}}},
			differs: {c: {runs: {concurrency: 7}}},
		});
		const {members} = rig;
		const started = Promise.all(members.map(async member => member.start()));
		await Promise.all(
			members.map(async ({prints}) => {
				const [, place = ''] = await prints(/Answers 503 on (http\S+)/);
				const {status} = await postEvent(place, {route: 'agent', id: `early-${round}`});
				refused[status] = (refused[status] ?? 0) + 1;
				if (status !== 503) {
					wrong.push(`without a database, a sender heard ${status}`);
				}
			}),
		);
		await postgres.start();
		const begin = performance.now();
		await started;
		slowestOpenMs = Math.max(slowestOpenMs, Math.round(performance.now() - begin));
		const answers = await Promise.all(
			members.map(async ({url: place}, nth) =>
				postEvent(place() ?? '', {route: 'agent', id: `first-${nth}`}),
			),
		);
		if (answers.some(({status}) => status !== 202)) {
			wrong.push(`once open, senders heard ${answers.map(({status}) => status).join()}`);
		}

		// Each member reads the others every ten seconds; the last one reads them when it has come.
		const differing =
			/Gateway "c" on the same store is configured otherwise: (?:platforms\S+, )?runs\./;
		await Promise.all(members.slice(0, 2).map(async ({prints}) => prints(differing)));
		wrong.push(...members.flatMap(({faults}) => faults()));
	}

	return {atOnce: rounds, waited: rounds, refused, slowestOpenMs, wrong};
}
