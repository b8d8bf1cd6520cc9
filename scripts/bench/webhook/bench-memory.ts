import type {BenchOptions} from '../main.ts';
import {progress, type Report} from '../report.ts';
import type {RouteName} from './config.ts';
import {startGenerator} from './generator.ts';
import {startProgram} from './servers.ts';

const wanted = 1_000_000;
const connections = 64;
const sliceMs = 1000;
const lines = 10;

const kinds: ReadonlyArray<{readonly route: RouteName; readonly forged?: true}> = [
	{route: 'ignored'},
	{route: 'accept'},
	{route: 'accept', forged: true},
	{route: 'coalesced'},
	{route: 'ignored'},
];

/**
 * Resident memory of the complete program over 1,000,000 requests of every kind in turn, a second each. `seconds` ends it sooner. What grows is
 * seen in the lines: each stands for a tenth of the requests.
 */
export async function benchMemory({seconds = 600}: BenchOptions): Promise<Report> {
	const generator = startGenerator();
	try {
		await using server = await startProgram();
		const readings: Array<{readonly requests: number; readonly rssMb: number}> = [];
		const giveUpAt = performance.now() + seconds * 1000;
		let requests = 0;
		for (let slice = 0; requests < wanted && performance.now() < giveUpAt; slice++) {
			const {route, forged} = kinds[slice % kinds.length] ?? {route: 'ignored'};
			const result = await generator.run({
				port: server.port,
				path: `/webhooks/${route}`,
				connections,
				warmUpMs: 0,
				ms: sliceMs,
				...(forged && {forged}),
			});
			requests += result.requests;
			readings.push({requests, rssMb: server.rssMb?.() ?? Number.NaN});
			progress(`${requests} requests, ${readings.at(-1)?.rssMb} MB`);
		}

		const each = requests / lines;
		return {
			title: `memory of svc gateway run over ${requests} requests at ${connections} connections`,
			lines: Array.from({length: lines}, (_, index) => {
				const mine = readings
					.filter(one => Math.min(lines - 1, Math.floor((one.requests - 1) / each)) === index)
					.map(({rssMb}) => rssMb);
				return {
					'up to': Math.round((index + 1) * each),
					'least MB': Math.min(...mine),
					'most MB': Math.max(...mine),
				};
			}),
			notes: [
				'A second each of ignored, accepted, forged, coalesced and ignored events in turn. Nothing is worked on, so every accepted event stays queued, on disk.',
			],
			data: readings,
		};
	} finally {
		generator.stop();
	}
}
