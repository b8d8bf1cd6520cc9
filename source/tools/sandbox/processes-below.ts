import {existsSync, readdirSync, readFileSync, readlinkSync, statfsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {setPriority} from 'node:os';
import {orElse} from '../../core/or-else.ts';

/** The process that bubblewrap started as the first of its namespace. */
function firstBelow(pid: number): number | undefined {
	const children = `/proc/${pid}/task/${pid}/children`;
	const [first] = orElse(() => readFileSync(children, 'utf8'), '').split(' ');
	return Number(first) || undefined;
}

/** The number of processes in the namespace, by its own `/proc`; 0 where that cannot be read. */
export function countInside(pid: number): number {
	const first = firstBelow(pid);
	return first !== undefined && isBuilt(first)
		? orElse(() => readdirSync(`/proc/${first}/root/proc`), []).filter(name => /^\d/.test(name))
				.length
		: 0;
}

/** Until its root is built a sandbox sees our own `/proc`, in which we are, and our folders in memory. */
const isBuilt = (first: number): boolean => !existsSync(`/proc/${first}/root/proc/self`);

const namespaceOf = (pid: number | 'self'): string | undefined =>
	orElse(() => readlinkSync(`/proc/${pid}/ns/pid`), undefined);

const isOurs = (namespace: string | undefined) =>
	namespace === undefined || namespace === namespaceOf('self');

/** The processes that count: in a sandbox all but bubblewrap's own two; without one the command, which is `pid` itself, and all below it. */
function countedOf(pid: number): readonly Seen[] {
	const first = firstBelow(pid);
	const isSandbox = first !== undefined && namespaceOf(first) !== namespaceOf('self');
	const below = pidsBelow(pid);
	return (isSandbox ? below.filter(one => one !== first) : [pid, ...below]).flatMap(
		one => readProcess(one) ?? [],
	);
}

/** Number, threads and memory (with what their folders in memory hold) of the processes that count. */
export function measureBelow(pid: number) {
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

/** Sweeps for processes that were started during the last one. */
const sweeps = 20;

/**
 * Ends all processes below `pid`. Kills init of the namespace, which kills the rest. Root raises init's priority so that it runs at once; without root each process gets SIGKILL,
 * since one with a pending SIGKILL cannot fork.
 */
export function endBelow(pid: number): void {
	const first = firstBelow(pid);
	if (first !== undefined) {
		// Fails without root, or when it has ended.
		orElse(() => {
			process.kill(first, 'SIGKILL');
			setPriority(first, highest);
		}, undefined);
	}

	for (let sweep = 0; sweep < sweeps; sweep += 1) {
		const below = pidsBelow(pid).filter(one => one !== first);
		for (const one of below) {
			// Fails when it has ended.
			orElse(() => process.kill(one, 'SIGKILL'), false);
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

/** `undefined`: it has ended. */
export const readProcess = (pid: number): Seen | undefined =>
	orElse(() => {
		const field = fieldsOf(`/proc/${pid}/status`);
		return {
			pid,
			parent: field('PPid'),
			threads: field('Threads'),
			bytes: (field('RssAnon') + field('RssShmem')) * 1024,
		};
	}, undefined);

/** The numbers of a file of `/proc` by their names; 0 for a name that is not there. @throws whatever `readFileSync` throws */
export const fieldsOf = (path: string): ((name: string) => number) =>
	fieldsIn(readFileSync(path, 'utf8'));

const fieldsIn =
	(text: string) =>
	(name: string): number =>
		Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);

/** Files in folders in memory belong to no process. */
const bytesOfFolders = (first: number): number =>
	['/tmp', '/dev/shm'].reduce((total, folder) => {
		const stats = orElse(() => statfsSync(`/proc/${first}/root${folder}`), undefined);
		return stats?.type === tmpfsMagic ? total + (stats.blocks - stats.bfree) * stats.bsize : total;
	}, 0);

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
