import {setFlagsFromString} from 'node:v8';
import packageJson from '../../package.json' with {type: 'json'};
import {every, type Clock} from './clock.ts';
import {codeOf, SvcError} from './errors.ts';

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

const maxCauses = 8;

/**
 * `error`, or what it means where it, or what caused it, is that a part of the program that is loaded late is not there any more: another version took its place, as an update does, while
 * this process ran. `program_replaced` then.
 */
export function asReplaced(error: unknown): unknown {
	let cause = error;
	for (let depth = 0; depth < maxCauses && cause instanceof Error; depth += 1) {
		if (codeOf(cause) === 'ERR_MODULE_NOT_FOUND') {
			return new SvcError(
				'program_replaced',
				'Cannot go on: the program was replaced while it ran. Stop the gateway and start it again',
				{cause: error},
			);
		}

		cause = cause.cause;
	}

	return error;
}

/** A part of the program that is loaded by itself, such as a thread, by paths from the file `importer`: `source` in the source, `bundled` in the bundle, where it is a file of its own. */
export const partUrl = (importer: string, source: string, bundled: string): URL =>
	new URL(importer.endsWith('.ts') ? source : bundled, importer);

/** The version of this program, as in `package.json`. */
export const version: string = packageJson.version;

/**
 * What a person has to know when a face and its gateway are of two versions of the program: both, what may come of it, and what to do; `undefined` when they are of one, or
 * the gateway has not said.
 */
export const versionMismatch = ({
	gateway,
	face,
}: {
	readonly gateway: string;
	readonly face: string;
}): readonly [facts: string, advice: string] | undefined =>
	gateway === '' || released(gateway) === released(face)
		? undefined
		: [
				`The gateway is svc ${gateway}, and this is svc ${face}. They go on together: what one of them does not know is left out, or fails and says so.`,
				'To have one version, end the gateway ("svc gateway stop") and start it again with the svc that you want.',
			];

/** A demo is of the version of its program. */
const released = (name: string): string => name.replace(/ demo$/, '');
