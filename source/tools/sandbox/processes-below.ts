import {existsSync, readdirSync, readFileSync, readlinkSync, statfsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {setPriority} from 'node:os';
import {fieldsIn, fieldsOf} from './shortage.ts';

/** What they use. */
type SandboxUse = {
	readonly processes: number;
	readonly threads: number;
	readonly bytes: number;
};

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
export function countInside(pid: number): number {
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
export function measure(pid: number): SandboxUse {
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
export function endBelow(pid: number): void {
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
export async function sharedOnce(bytes: number, pid: number): Promise<number> {
	const counted = countedOf(pid);
	const rough = counted.reduce((total, seen) => total + seen.bytes, 0);
	let shares = 0;
	for (const seen of counted) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- one at a time leaves the other threads to the gateway
			const field = fieldsIn(await readFile(`/proc/${seen.pid}/smaps_rollup`, 'utf8'));
			shares += (field('Pss_Anon') + field('Pss_Shmem')) * 1024;
		} catch {
			shares += seen.bytes;
		}
	}

	return bytes - rough + shares;
}
