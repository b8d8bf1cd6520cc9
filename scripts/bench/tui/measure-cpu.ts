import {setTimeout as wait} from 'node:timers/promises';
import {cpuMicrosOf} from '../process-usage.ts';
import {startFloorServer} from '../webhook/servers.ts';
import {startLoad} from './start-load.ts';

/** A stretch is cut into as many parts: noise of the machine only adds, so that the best of them is nearest to what the program takes. */
export const rounds = 3;

/** Percent of one core, of each part of a stretch. */
export type Cpu = {
	readonly percent: readonly number[];
	/** Of the floor server, under a load of its own of the same kind, in the same seconds. */
	readonly floor: readonly number[];
};

/** What no receiver in Node is spared (`webhook/floor-server.ts`), beside the program and under the same load. */
export type Floor = AsyncDisposable & {cpuMicros(): Promise<number>};

/** Starts the floor with its own load of `perSecond` events. */
export async function startFloor(perSecond: number): Promise<Floor> {
	const server = await startFloorServer();
	const load = startLoad({port: server.port, perSecond});
	return {
		cpuMicros: async () => server.cpuMicros(),
		async [Symbol.asyncDispose]() {
			await load[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
		},
	};
}

/** CPU of a process, part by part, while each second is told to `tick`. */
export async function measureCpu(
	{pid, floor}: {readonly pid: number; readonly floor?: Floor | undefined},
	seconds: number,
	tick: () => void = () => {},
): Promise<Cpu> {
	const now = async () => ({
		at: performance.now(),
		own: cpuMicrosOf(pid),
		floor: (await floor?.cpuMicros()) ?? Number.NaN,
	});
	const percent: number[] = [];
	const floors: number[] = [];
	for (let round = 0; round < rounds; round += 1) {
		const before = await now();
		for (let second = 0; second < Math.ceil(seconds / rounds); second += 1) {
			await wait(1000);
			tick();
		}

		const after = await now();
		const share = (micros: number) => micros / ((after.at - before.at) * 10);
		percent.push(share(after.own - before.own));
		floors.push(share(after.floor - before.floor));
	}

	return {percent, floor: floors};
}
