import {readFileSync} from 'node:fs';
import {orElse} from '../core/or-else.ts';

/** Descriptors for everything else: the store, the log, tool servers and programs, calls that go out. */
const reserved = 256;

const minConnections = 16;

/** The connections that a server may have open when it wants `most` and the system lets this process have `descriptors`. */
export const affordable = (most: number, descriptors: number): number =>
	Math.min(most, Math.max(minConnections, descriptors - reserved));

/** How many descriptors this process may have open; without end where the system does not say (only Linux does). */
export function descriptorLimit(): number {
	const limits = orElse(() => readFileSync('/proc/self/limits', 'utf8'), '');
	const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
	return soft === undefined ? Infinity : Number(soft);
}
