import {statfsSync} from 'node:fs';
import {setPriority} from 'node:os';
import {createTimer, type Clock} from '../../core/clock.ts';
import {orElse} from '../../core/or-else.ts';
import {
	aboveMemory,
	aboveTasks,
	type ControlGroup,
	maxTasksOf,
	type SandboxLimits,
} from './control-group.ts';
import {countInside, endBelow, fieldsOf, sharedOnce, measureBelow} from './processes-below.ts';

const everyMs = 200;

/** Processes multiply faster than memory fills, so between full measurements only their number is checked. */
const countEveryMs = 25;

/** The lowest priority, so that the gateway still gets CPU time to end a fork bomb. */
const niceness = 19;

/**
 * Watches all processes below `pid`, which cannot escape: their process namespace ends with it. Above a limit, ends them and calls `onAbove` once with the limit,
 * for a sentence. The system's own limits are per process or per user, and do not apply to root.
 */
export function watchLimits(
	pid: number,
	limits: SandboxLimits,
	{
		clock,
		group,
		writes = [],
		onAbove,
	}: {
		readonly clock: Clock;
		/** Counts memory and threads in place of this watch. */
		readonly group?: ControlGroup;
		/** Writable folders: a call that fills their disk is ended. */
		readonly writes?: readonly string[];
		readonly onAbove: (limit: string) => void;
	},
): Disposable {
	const {maxProcesses, maxMemoryBytes} = limits;
	const timer = createTimer(clock);
	let looks = 0;
	let hasEnded = false;
	let isSumming = false;
	const aboveProcesses = `more than ${maxProcesses} processes at once`;
	const whatIsAbove = (): string | undefined => {
		// Plus one for bubblewrap itself.
		if (countInside(pid) > maxProcesses + 1) {
			return aboveProcesses;
		}

		looks += 1;
		const isRound = looks % (everyMs / countEveryMs) === 0;
		const shortage = isRound ? shortageOf(writes) : undefined;
		if (shortage !== undefined) {
			return shortage;
		}

		if (group) {
			return group.above();
		}

		if (!isRound) {
			return undefined;
		}

		const {processes, threads, bytes} = measureBelow(pid);
		if (processes > maxProcesses) {
			return aboveProcesses;
		}

		if (threads > maxTasksOf(limits)) {
			return aboveTasks(limits);
		}

		if (bytes > maxMemoryBytes && !isSumming) {
			isSumming = true;
			void sum(bytes);
		}

		return undefined;
	};

	const end = (above: string) => {
		hasEnded = true;
		timer.cancel();
		group?.end();
		endBelow(pid);
		onAbove(above);
	};

	/** Slow when many processes share much memory, so must not block the gateway. */
	const sum = async (bytes: number) => {
		const total = await sharedOnce(bytes, pid);
		isSumming = false;
		if (total > maxMemoryBytes && !hasEnded) {
			end(aboveMemory(limits));
		}
	};

	const look = () => {
		const above = whatIsAbove();
		if (above === undefined) {
			timer.set(countEveryMs, look);
		} else {
			end(above);
		}
	};

	// Fails if the process has ended.
	orElse(() => setPriority(pid, niceness), undefined);
	timer.set(countEveryMs, look);
	return {
		[Symbol.dispose]() {
			hasEnded = true;
			timer.cancel();
		},
	};
}

/** A shortage of the machine, in memory or on the disks of the folders `writes`; for a sentence. `undefined` if there is none. */
function shortageOf(writes: readonly string[]): string | undefined {
	const full = writes.find(folder => orElse(() => isFull(folder), false));
	if (full !== undefined) {
		return `the disk of "${full}" was almost full`;
	}

	return orElse(isShortOfMemory, false)
		? 'the memory of this machine was almost used up'
		: undefined;
}

/** The free disk space below which a call is ended: svc's database is often on the same disk. */
const leastFreeBytes = 2 ** 30;

/** Whether a folder's disk has less than a twentieth free, or less than 1 GB. */
function isFull(folder: string): boolean {
	const {blocks, bavail, bsize} = statfsSync(folder);
	return bavail * bsize < Math.min(leastFreeBytes, (blocks * bsize) / 20);
}

/** Memory outside of processes' address spaces (files without a name, messages) shows only in this file. */
function isShortOfMemory(): boolean {
	const field = fieldsOf('/proc/meminfo');
	return field('MemAvailable') < field('MemTotal') / 20;
}
