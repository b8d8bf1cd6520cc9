import {setPriority} from 'node:os';
import type {Clock} from '../../core/clock.ts';
import {
	aboveMemory,
	aboveTasks,
	type ControlGroup,
	maxTasksOf,
	type SandboxLimits,
} from './control-group.ts';
import {countInside, endBelow, measure, sharedOnce} from './processes-below.ts';
import {shortageOf} from './shortage.ts';

const everyMs = 200;

/** Processes multiply faster than memory fills: only their number is looked at in between. */
const countEveryMs = 25;

/** Lowest priority, so that the gateway still gets CPU time to end a fork bomb. */
const niceness = 19;

const nothing = () => {};

/**
 * Looks at all processes below `pid`, which cannot leave it: their process namespace ends with it. Tells once, in a part of a sentence, which limit they are above, and has ended them then.
 * Limits of the system itself count for one process or for one user, and for none as root.
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
		/** Counts memory and threads in its place. */
		readonly group?: ControlGroup;
		/** Folders that may be written: what fills their disk is ended. */
		readonly writes?: readonly string[];
		readonly onAbove: (limit: string) => void;
	},
): Disposable {
	const {maxProcesses, maxMemoryBytes} = limits;
	let cancel = nothing;
	let looks = 0;
	let hasEnded = false;
	let isSumming = false;
	const whatIsAbove = (): string | undefined => {
		// One for bubblewrap itself.
		if (countInside(pid) > maxProcesses + 1) {
			return `more than ${maxProcesses} processes at once`;
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

		const {processes, threads, bytes} = measure(pid);
		if (processes > maxProcesses) {
			return `more than ${maxProcesses} processes at once`;
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
		cancel();
		group?.end();
		endBelow(pid);
		onAbove(above);
	};

	/** Takes long where many processes share much, and must not keep the gateway from its work. */
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
			cancel = clock.after(countEveryMs, look);
		} else {
			end(above);
		}
	};

	try {
		setPriority(pid, niceness);
	} catch {
		// It has ended.
	}

	cancel = clock.after(countEveryMs, look);
	return {
		[Symbol.dispose]() {
			hasEnded = true;
			cancel();
		},
	};
}
