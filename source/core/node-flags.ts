import {setFlagsFromString} from 'node:v8';
import {every, type Clock} from './clock.ts';

/**
 * What Node is started with wherever this program starts itself; the first line of the bundle and `svc.sh` say the same. Left alone, V8 lets its young generation grow to tens of
 * megabytes for the sake of throughput that this program does not need.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8'];

/**
 * Variables that it is started with, unless they are set: the threads of V8 share one heap of the C library, instead of keeping one each with what it no longer needs. With a screen
 * that is 20 of 200 MB, at the same CPU; a C library other than that of GNU does not know it.
 */
export const nodeVariables: Readonly<Record<string, string>> = {MALLOC_ARENA_MAX: '1'};

/**
 * Lets the heap grow by half instead of to twice of what is in use before it is looked through; by a quarter it costs a tenth of the CPU of an ignored event, and saves no memory that can be measured. Not a flag of the start: while a program loads, nearly all of it stays, and looking
 * through it costs a tenth of the time.
 */
export function growSlowly(): void {
	setFlagsFromString('--heap-growing-percent=50');
}

const lookMs = 2000;

/** Share of a core from which on V8 has better things to do: at full load it would cost an ignored event a quarter more. */
const busyShare = 0.4;

/** Has V8 give back memory that it empties, while there is little to do. For a process with a screen, which is large, and open all day. */
export function saveMemory(
	clock: Clock,
	{
		set = setFlagsFromString,
		usage = () => process.cpuUsage(),
	}: {readonly set?: (flag: string) => void; readonly usage?: () => NodeJS.CpuUsage} = {},
): Disposable {
	// V8 complains on stderr of a flag that it does not know: said only to those that were tried.
	if (!process.versions.v8.startsWith('13.')) {
		return {[Symbol.dispose]() {}};
	}

	let isSaving = false;
	const save = (isWanted: boolean) => {
		if (isWanted !== isSaving) {
			isSaving = isWanted;
			set(isWanted ? '--memory-saver-mode' : '--no-memory-saver-mode');
		}
	};
	let before = {usage: usage(), at: clock.monotonic()};
	const stop = every(clock, lookMs, () => {
		const now = {usage: usage(), at: clock.monotonic()};
		const usedMs =
			(now.usage.user + now.usage.system - before.usage.user - before.usage.system) / 1000;
		save(usedMs < busyShare * (now.at - before.at));
		before = now;
	});
	return {
		[Symbol.dispose]() {
			stop();
			save(false);
		},
	};
}
