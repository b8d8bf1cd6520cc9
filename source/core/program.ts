import {setFlagsFromString} from 'node:v8';
import packageJson from '../../package.json' with {type: 'json'};
import {every, type Clock} from './clock.ts';
import {codeOf, SvcError} from './errors.ts';

/**
 * Node flags for every process in which this program runs itself, the same as in the first line of the bundle and in `svc.sh`. By default V8 lets its young generation grow to tens
 * of megabytes, for throughput that this program does not need.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8'];

/**
 * Default environment variables of such processes: all V8 threads share one heap of the C library instead of having one each. In a process
 * with a screen this saves 20 of 200 MB at the same CPU use. Only the GNU C library reads the variable.
 */
export const nodeVariables: Readonly<Record<string, string>> = {MALLOC_ARENA_MAX: '1'};

/**
 * Lets the heap grow by 50 % instead of 100 % before a full collection. At 25 % an ignored event costs a tenth more CPU, without measurable savings of memory. Not set at the
 * start of the process: while a program loads, nearly everything it allocates stays in use, and more collections would make the start a tenth slower.
 */
export function growSlowly(): void {
	setFlagsFromString('--heap-growing-percent=50');
}

const lookMs = 2000;

/** CPU use, as a share of a core, above which memory is not saved: at full load saving would make an ignored event cost a quarter more CPU. */
const busyShare = 0.4;

/** Lets V8 return unused memory at low load. For a process with a screen, which is large and open all day. */
export function saveMemory(
	clock: Clock,
	{
		set = setFlagsFromString,
		usage = () => process.cpuUsage(),
	}: {readonly set?: (flag: string) => void; readonly usage?: () => NodeJS.CpuUsage} = {},
): Disposable {
	// V8 complains on stderr about an unknown flag: set it only for tested versions.
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
 * Returns `error`, or an error `program_replaced` if `error` or one of its causes is a missing module: an update replaced the files of the program while
 * this process ran.
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

/** The URL of a separately loaded part of the program, such as a worker thread. Paths relative to the file `importer`: `source` in the source tree, `bundled` in the bundle. */
export const partUrl = (importer: string, source: string, bundled: string): URL =>
	new URL(importer.endsWith('.ts') ? source : bundled, importer);

/** The version of this program, as in `package.json`. */
export const version: string = packageJson.version;

/**
 * The warning when a face and its gateway have different versions, and the advice; `undefined` when they are the same, or
 * the gateway has not reported its version.
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

/** The version without the suffix of a demo. */
const released = (name: string): string => name.replace(/ demo$/, '');
