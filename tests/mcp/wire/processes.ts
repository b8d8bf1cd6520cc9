import {readFileSync} from 'node:fs';
import {setImmediate} from 'node:timers/promises';

/** Looks once per turn of the event loop; the bound is the test's own. */
export async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) {
		await setImmediate();
	}
}

/** Dead; a process that its new parent has not buried yet is dead all the same. */
export function isGone(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
	} catch {
		return true;
	}
}
