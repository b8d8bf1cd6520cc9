import {existsSync, readdirSync, readFileSync, readlinkSync, statfsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {setPriority} from 'node:os';
import {orElse} from '../../core/or-else.ts';

/** The process that bubblewrap started as init of its namespace. */
function firstBelow(pid: number): number | undefined {
	const children = `/proc/${pid}/task/${pid}/children`;
	const [first] = orElse(() => readFileSync(children, 'utf8'), '').split(' ');
	return Number(first) || undefined;
}

/** The number of processes in the namespace, from its own `/proc`; 0 if unreadable. */
export function countInside(pid: number): number {
	const first = firstBelow(pid);
	return first !== undefined && isBuilt(first)
		? orElse(() => readdirSync(`/proc/${first}/root/proc`), []).filter(name => /^\d/.test(name))
				.length
		: 0;
}

/** Until its root is built, a sandbox sees the machine's `/proc`, which includes svc, and the machine's folders in memory. */
const isBuilt = (first: number): boolean => !existsSync(`/proc/${first}/root/proc/self`);

const namespaceOf = (pid: number | 'self'): string | undefined =>
	orElse(() => readlinkSync(`/proc/${pid}/ns/pid`), undefined);

const isOurs = (namespace: string | undefined) =>
	namespace === undefined || namespace === namespaceOf('self');

/** The processes that count: in a sandbox all but bubblewrap's own two; without one the command (`pid`) and its descendants. */
function countedOf(pid: number): readonly Seen[] {
	const first = firstBelow(pid);
	const isSandbox = first !== undefined && namespaceOf(first) !== namespaceOf('self');
	const below = pidsBelow(pid);
	return (isSandbox ? below.filter(one => one !== first) : [pid, ...below]).flatMap(
		one => readProcess(one) ?? [],
	);
}

/** Number, threads and memory (including folders in memory) of the processes that count. */
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

/** How often the list is read again for processes started meanwhile. */
const sweeps = 20;

/**
 * Ends all processes below `pid`. Killing the namespace's init kills the rest. As root, init's priority is raised so that it runs at once; otherwise every process
 * gets SIGKILL, because one with a pending SIGKILL cannot fork.
 */
export function endBelow(pid: number): void {
	const first = firstBelow(pid);
	if (first !== undefined) {
		// Fails without root, or if the process has ended.
		orElse(() => {
			process.kill(first, 'SIGKILL');
			setPriority(first, highest);
		}, undefined);
	}

	for (let sweep = 0; sweep < sweeps; sweep += 1) {
		const below = pidsBelow(pid).filter(one => one !== first);
		for (const one of below) {
			// Fails if the process has ended.
			orElse(() => process.kill(one, 'SIGKILL'), false);
		}

		if (below.length === 0) {
			return;
		}
	}
}

/** The processes of the namespace below `pid`; without one, its descendants. In a namespace, following descendants would miss many, because parents end meanwhile. */
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
	// The list grows during the loop.
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

/** `undefined` if the process has ended. */
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

/** The numbers in a `/proc` file by name; 0 for a missing name. @throws whatever `readFileSync` throws */
export const fieldsOf = (path: string): ((name: string) => number) =>
	fieldsIn(readFileSync(path, 'utf8'));

const fieldsIn =
	(text: string) =>
	(name: string): number =>
		Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);

/** The size of files in folders in memory, which no process accounts for. */
const bytesOfFolders = (first: number): number =>
	['/tmp', '/dev/shm'].reduce((total, folder) => {
		const stats = orElse(() => statfsSync(`/proc/${first}/root${folder}`), undefined);
		return stats?.type === tmpfsMagic ? total + (stats.blocks - stats.bfree) * stats.bsize : total;
	}, 0);

const tmpfsMagic = 0x01_02_19_94;

/** Memory in which pages shared by processes, as after a fork, count once. Slow, so only used above the limit. */
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
