import {setFlagsFromString} from 'node:v8';

/**
 * What Node is started with wherever this program starts itself; the first line of the bundle and `svc.sh` say the same. Left alone, V8 lets its young generation grow to tens of
 * megabytes for the sake of throughput that this program does not need.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8'];

/**
 * Lets the heap grow by half instead of to twice of what is in use before it is looked through, and has V8 give back what it empties; by a quarter it costs a tenth of the CPU of an ignored event, and saves no memory that can be measured. Not flags of the start: while a program loads, nearly all of it stays, and looking
 * through it costs a tenth of the time.
 */
export function growSlowly(): void {
	setFlagsFromString('--heap-growing-percent=50');
	// V8 complains on stderr of a flag that it does not know: said only to those that were tried.
	if (process.versions.v8.startsWith('13.')) {
		setFlagsFromString('--memory-saver-mode');
	}
}
