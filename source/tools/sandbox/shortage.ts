import {readFileSync, statfsSync} from 'node:fs';

/** What the machine runs short of while a call may use memory, and the disks of the folders `writes`; a part of a sentence. `undefined`: nothing. */
export function shortageOf(writes: readonly string[]): string | undefined {
	const full = writes.find(isFull);
	return full === undefined
		? isShortOfMemory()
			? 'the memory of this machine was almost used up'
			: undefined
		: `the disk of "${full}" was almost full`;
}

/** Free space below which a call ends: the database of svc is often on that disk. */
const leastFreeBytes = 2 ** 30;

/** Whether the disk of a folder has less than a twentieth free, or less than 1 GB. */
function isFull(folder: string): boolean {
	try {
		const {blocks, bavail, bsize} = statfsSync(folder);
		return bavail * bsize < Math.min(leastFreeBytes, (blocks * bsize) / 20);
	} catch {
		return false;
	}
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

/** The numbers of a file of `/proc` by their names; 0 where one is not there. @throws whatever `readFileSync` throws */
export const fieldsOf = (path: string): ((name: string) => number) =>
	fieldsIn(readFileSync(path, 'utf8'));

/** The same of a text that was read already. */
export function fieldsIn(text: string): (name: string) => number {
	return name => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}
