import {existsSync, readdirSync, readFileSync, readlinkSync, statfsSync} from 'node:fs';
import {setPriority} from 'node:os';
import type {Clock} from '../../core/clock.ts';
import {
	aboveMemory,
	aboveTasks,
	type ControlGroup,
	maxTasksOf,
	type SandboxLimits,
} from './control-group.ts';

/** What they use. */
type SandboxUse = {
	readonly processes: number;
	readonly threads: number;
	readonly bytes: number;
};

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
		onAbove,
	}: {
		readonly clock: Clock;
		/** Counts memory and threads in its place. */
		readonly group?: ControlGroup;
		readonly onAbove: (limit: string) => void;
	},
): Disposable {
	const {maxProcesses, maxMemoryBytes} = limits;
	let cancel = nothing;
	let looks = 0;
	const whatIsAbove = (): string | undefined => {
		// One for bubblewrap itself.
		if (countInside(pid) > maxProcesses + 1) {
			return `more than ${maxProcesses} processes at once`;
		}

		if (group) {
			return group.above();
		}

		looks += 1;
		if (looks % (everyMs / countEveryMs) !== 0) {
			return undefined;
		}

		const {processes, threads, bytes} = measure(pid);
		if (processes > maxProcesses) {
			return `more than ${maxProcesses} processes at once`;
		}

		if (threads > maxTasksOf(limits)) {
			return aboveTasks(limits);
		}

		return bytes > maxMemoryBytes && sharedOnce(bytes, pid) > maxMemoryBytes
			? aboveMemory(limits)
			: isShortOfMemory()
				? 'the memory of this machine was almost used up'
				: undefined;
	};

	const look = () => {
		const above = whatIsAbove();
		if (above === undefined) {
			cancel = clock.after(countEveryMs, look);
		} else {
			group?.end();
			endBelow(pid);
			onAbove(above);
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
			cancel();
		},
	};
}

/** The process that bubblewrap started as the first of its namespace. */
function firstBelow(pid: number): number | undefined {
	try {
		const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
		return first === undefined || first === '' ? undefined : Number(first);
	} catch {
		return undefined;
	}
}

/** As many processes as the namespace has, by its own `/proc`; 0 where that cannot be asked. */
function countInside(pid: number): number {
	const first = firstBelow(pid);
	if (first === undefined) {
		return 0;
	}

	try {
		return isBuilt(first)
			? readdirSync(`/proc/${first}/root/proc`).filter(name => /^\d/.test(name)).length
			: 0;
	} catch {
		return 0;
	}
}

/** Until its root is built a sandbox sees our own `/proc`, in which we are, and our folders in memory. */
const isBuilt = (first: number): boolean => !existsSync(`/proc/${first}/root/proc/self`);

const namespaceOf = (pid: number | 'self'): string | undefined => {
	try {
		return readlinkSync(`/proc/${pid}/ns/pid`);
	} catch {
		return undefined;
	}
};

const isOurs = (namespace: string | undefined) =>
	namespace === undefined || namespace === namespaceOf('self');

/** Those that count: in a sandbox all but bubblewrap's own two; without one the command, which is `pid` itself, and all below it. */
function countedOf(pid: number): readonly Seen[] {
	const first = firstBelow(pid);
	const isSandbox = first !== undefined && namespaceOf(first) !== namespaceOf('self');
	const below = pidsBelow(pid);
	return (isSandbox ? below.filter(one => one !== first) : [pid, ...below]).flatMap(
		one => readProcess(one) ?? [],
	);
}

/** The memory and number of all that count, with what their folders in memory hold. */
function measure(pid: number): SandboxUse {
	const first = firstBelow(pid);
	const own = countedOf(pid);
	const sum = (of: (seen: Seen) => number) => own.reduce((total, seen) => total + of(seen), 0);
	return {
		processes: own.length,
		threads: sum(({threads}) => threads),
		bytes:
			sum(({bytes}) => bytes) + (first !== undefined && isBuilt(first) ? bytesOfFolders(first) : 0),
	};
}

const highest = -20;

/** How often what came meanwhile is looked for. */
const sweeps = 20;

/**
 * Ends all processes below `pid`. Kills init of the namespace, which kills the rest. Root raises init's priority so that it runs at once; without root each process gets SIGKILL,
 * since one with a pending SIGKILL cannot fork.
 */
function endBelow(pid: number): void {
	const first = firstBelow(pid);
	if (first !== undefined) {
		try {
			process.kill(first, 'SIGKILL');
			setPriority(first, highest);
		} catch {
			// Not root, or it has ended.
		}
	}

	for (let sweep = 0; sweep < sweeps; sweep += 1) {
		const below = pidsBelow(pid).filter(one => one !== first);
		for (const one of below) {
			try {
				process.kill(one, 'SIGKILL');
			} catch {
				// It has ended.
			}
		}

		if (below.length === 0) {
			return;
		}
	}
}

/** Those of the namespace that is below `pid`; without one, its descendants. Parents end while they are read, so that descendants alone would miss many. */
function pidsBelow(pid: number): readonly number[] {
	const namespace = namespaceOf(firstBelow(pid) ?? pid);
	const all = readdirSync('/proc')
		.filter(name => /^\d+$/.test(name))
		.map(Number);
	if (!isOurs(namespace)) {
		return all.filter(one => namespaceOf(one) === namespace);
	}

	const children = new Map<number, number[]>();
	for (const one of all) {
		const parent = readProcess(one)?.parent ?? 0;
		children.set(parent, [...(children.get(parent) ?? []), one]);
	}

	const found = [...(children.get(pid) ?? [])];
	// A list grows while it is walked.
	for (const parent of found) {
		found.push(...(children.get(parent) ?? []));
	}

	return found;
}

type Seen = {
	readonly pid: number;
	readonly parent: number;
	readonly threads: number;
	readonly bytes: number;
};

function readProcess(pid: number): Seen | undefined {
	try {
		const field = fieldsOf(`/proc/${pid}/status`);
		return {
			pid,
			parent: field('PPid'),
			threads: field('Threads'),
			bytes: (field('RssAnon') + field('RssShmem')) * 1024,
		};
	} catch {
		// It has ended meanwhile.
		return undefined;
	}
}

/** What stands in folders in memory is held by no process. */
function bytesOfFolders(first: number): number {
	return ['/tmp', '/dev/shm'].reduce((total, folder) => {
		try {
			const {blocks, bfree, bsize, type} = statfsSync(`/proc/${first}/root${folder}`);
			return type === tmpfsMagic ? total + (blocks - bfree) * bsize : total;
		} catch {
			return total;
		}
	}, 0);
}

const tmpfsMagic = 0x01_02_19_94;

/** Pages that processes share, as after a fork, count once for all. Slower: asked only above the limit. */
function sharedOnce(bytes: number, pid: number): number {
	const counted = countedOf(pid);
	const rough = counted.reduce((total, seen) => total + seen.bytes, 0);
	const shares = counted.map(seen => {
		try {
			const field = fieldsOf(`/proc/${seen.pid}/smaps_rollup`);
			return (field('Pss_Anon') + field('Pss_Shmem')) * 1024;
		} catch {
			return seen.bytes;
		}
	});
	return bytes - rough + shares.reduce((total, share) => total + share, 0);
}

/** The numbers of a file of `/proc` by their names; 0 where one is not there. @throws whatever `readFileSync` throws */
function fieldsOf(path: string): (name: string) => number {
	const text = readFileSync(path, 'utf8');
	return name => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** Memory that no process has in its address space (files without a name, messages) shows here alone. */
function isShortOfMemory(): boolean {
	try {
		const field = fieldsOf('/proc/meminfo');
		return field('MemAvailable') < field('MemTotal') / 20;
	} catch {
		return false;
	}
}
