import {readdirSync, readFileSync, statfsSync} from 'node:fs';
import type {Clock} from '../../core/clock.ts';

/** What all processes of one call may use together. */
export type SandboxLimits = {readonly maxProcesses: number; readonly maxMemoryBytes: number};

/** What they use. */
export type SandboxUse = {
	readonly processes: number;
	readonly threads: number;
	readonly bytes: number;
};

/** Threads for each process that is allowed: what a kernel takes for one counts with nothing else here. */
const threadsPerProcess = 16;

const everyMs = 200;

const nothing = () => {};

/**
 * Looks every 200 ms at all processes below `pid`, which cannot leave it: their process namespace ends with it. Tells once, in a part of a sentence, which limit they are above.
 * Limits of the system itself count for one process or for one user, and for none as root.
 */
export function watchLimits(
	pid: number,
	{maxProcesses, maxMemoryBytes}: SandboxLimits,
	{clock, onAbove}: {readonly clock: Clock; readonly onAbove: (limit: string) => void},
): Disposable {
	let cancel = nothing;
	const look = () => {
		const use = measureBelow(pid);
		const above =
			use.processes > maxProcesses
				? `more than ${maxProcesses} processes at once`
				: use.threads > maxProcesses * threadsPerProcess
					? `more than ${maxProcesses * threadsPerProcess} threads at once`
					: use.bytes > maxMemoryBytes && sharedOnce(use, pid) > maxMemoryBytes
						? `more than ${Math.round(maxMemoryBytes / 2 ** 20)} MB of memory`
						: isShortOfMemory()
							? 'the memory of this machine was almost used up'
							: undefined;
		if (above === undefined) {
			cancel = clock.after(everyMs, look);
		} else {
			onAbove(above);
		}
	};

	cancel = clock.after(everyMs, look);
	return {
		[Symbol.dispose]() {
			cancel();
		},
	};
}

type Seen = {
	readonly pid: number;
	readonly parent: number;
	readonly threads: number;
	readonly bytes: number;
};

/** The processes below `pid`, without those of bubblewrap itself, and the memory they and their folders in memory hold. */
export function measureBelow(pid: number): SandboxUse {
	const below = processesBelow(pid);
	// The first one in its namespace is bubblewrap's own; what it sees is what all see.
	const first = below.find(({parent}) => parent === pid);
	const own = below.filter(seen => seen !== first);
	const sum = (of: (seen: Seen) => number) => own.reduce((total, seen) => total + of(seen), 0);
	return {
		processes: own.length,
		threads: sum(({threads}) => threads),
		bytes: sum(({bytes}) => bytes) + (first ? bytesOfFolders(first.pid) : 0),
	};
}

function processesBelow(pid: number): readonly Seen[] {
	const children = new Map<number, Seen[]>();
	for (const name of readdirSync('/proc')) {
		const seen = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
		if (seen) {
			const siblings = children.get(seen.parent);
			if (siblings) {
				siblings.push(seen);
			} else {
				children.set(seen.parent, [seen]);
			}
		}
	}

	const found = [...(children.get(pid) ?? [])];
	// A list grows while it is walked.
	for (const {pid: parent} of found) {
		found.push(...(children.get(parent) ?? []));
	}

	return found;
}

function readProcess(pid: number): Seen | undefined {
	try {
		const text = readFileSync(`/proc/${pid}/status`, 'utf8');
		const field = (name: string) =>
			Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
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
function sharedOnce({bytes}: SandboxUse, pid: number): number {
	const below = processesBelow(pid);
	const rough = below.reduce((total, seen) => total + seen.bytes, 0);
	const shares = below.map(seen => {
		try {
			const text = readFileSync(`/proc/${seen.pid}/smaps_rollup`, 'utf8');
			const field = (name: string) =>
				Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
			return (field('Pss_Anon') + field('Pss_Shmem')) * 1024;
		} catch {
			return seen.bytes;
		}
	});
	return bytes - rough + shares.reduce((total, share) => total + share, 0);
}

/** Memory that no process has in its address space (files without a name, messages) shows here alone. */
function isShortOfMemory(): boolean {
	try {
		const text = readFileSync('/proc/meminfo', 'utf8');
		const field = (name: string) =>
			Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
		return field('MemAvailable') < field('MemTotal') / 20;
	} catch {
		return false;
	}
}
