import {readFileSync} from 'node:fs';

/** Descriptors for everything else: the store, the log, tool servers and programs, calls that go out. */
const reserved = 256;

const minConnections = 16;

/** The connections that a server may have open when it wants `most` and the system lets this process have `descriptors`. */
export const affordable = (most: number, descriptors: number): number =>
	Math.min(most, Math.max(minConnections, descriptors - reserved));

/** How many descriptors this process may have open; without end where the system does not say (only Linux does). */
export function descriptorLimit(): number {
	try {
		const [, soft] =
			/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
		return soft === undefined ? Infinity : Number(soft);
	} catch {
		return Infinity;
	}
}
