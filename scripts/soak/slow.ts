import {slowClients} from '../../tests/soak/slow.ts';
import {percentile} from '../bench/statistics.ts';

/** 800 slow connections at once, `rounds` times (2 unless said otherwise). */
export async function soakSlow({
	rounds = 2,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	let holds = true;
	for (let round = 0; round < rounds; round++) {
		const {latenciesMs, ...facts} = await slowClients({clients: 800});
		const sorted = Float64Array.from(latenciesMs).toSorted();
		const p99Ms = Math.round(percentile(sorted, 0.99));
		process.stdout.write(`${JSON.stringify({...facts, others: sorted.length, p99Ms})}\n`);
		holds &&= facts.closed === facts.clients && Object.keys(facts.statuses).join() === '200';
	}

	return holds;
}
