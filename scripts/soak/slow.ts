import {idleClients} from '../../tests/soak/idle.ts';
import {slowClients} from '../../tests/soak/slow.ts';
import {percentile} from '../bench/statistics.ts';

/** 800 slow connections at once, then 10,000 idle ones for 30 s that are opened again whenever they are closed; `rounds` times (2 unless said otherwise). Needs 10,100 descriptors. */
export async function soakSlow({
	rounds = 2,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	let holds = true;
	for (let round = 0; round < rounds; round++) {
		const slow = await slowClients({clients: 800});
		print(slow);
		holds &&= slow.closed === slow.clients && Object.keys(slow.statuses).join() === '200';

		const idle = await idleClients({connections: 10_000, seconds: 30});
		print(idle);
		holds &&= Object.keys(idle.failures).length === 0;
	}

	return holds;
}

function print({latenciesMs, ...facts}: {readonly latenciesMs: readonly number[]}): void {
	const sorted = Float64Array.from(latenciesMs).toSorted();
	const [p50Ms, p99Ms] = [0.5, 0.99].map(share => Math.round(percentile(sorted, share)));
	process.stdout.write(`${JSON.stringify({...facts, p50Ms, p99Ms})}\n`);
}
