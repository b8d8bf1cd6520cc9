import {type ChildProcess, spawn} from 'node:child_process';
import type {Readable} from 'node:stream';
import type {Clock} from './clock.ts';
import {codeOf} from './errors.ts';

/** The size to which an output is limited, and what happens above it. Output that is not kept is still read, since a full pipe would block the command. */
export type OutputRule = {
	readonly limitBytes: number;
	/** `keep-ends`: half from the start and half from the end, with a line between them that counts the missing bytes. */
	readonly above: 'keep-start' | 'keep-end' | 'keep-ends' | 'stop';
};

/** One command, run without a shell: arguments are passed unchanged. */
export type GroupJob = {
	readonly command: string;
	readonly args: readonly string[];
	/** The whole environment of the command. */
	readonly env: Readonly<Record<string, string>>;
	readonly cwd: string;
	/** Written to its standard input; the command need not read it. */
	readonly input: Buffer | string;
	readonly stdout: OutputRule;
	readonly stderr: OutputRule;
	readonly timeoutMs: number;
	/** Time from SIGTERM to SIGKILL; 0: SIGKILL at once. */
	readonly termGraceMs: number;
	/** Aborting ends the group, with `termGraceMs`. */
	readonly signal: AbortSignal;
	/** Aborting kills the group at once. */
	readonly killed?: AbortSignal;
	/** Contents that the command can read from its descriptors 3, 4, …. */
	readonly feeds?: readonly Buffer[];
	/** Called once the command runs, with the id of its process group. The result is disposed when the command exits. */
	readonly onStart?: (pid: number) => Disposable;
};

export type GroupExit =
	/** `code` is `null` when a signal ended it. */
	| {
			readonly kind: 'exited';
			readonly code: number | null;
			readonly stdout: string;
			readonly stderr: string;
			/** Length of the whole output, when `keep-ends` left out its middle. */
			readonly stdoutBytes?: number;
	  }
	/** `stdout`: the output so far; only under the rule `keep-ends`. */
	| {readonly kind: 'timeout'; readonly stdout?: string}
	| {readonly kind: 'too-much-output'}
	| {readonly kind: 'aborted'; readonly stdout?: string}
	/** `code` is Node's: `ENOENT`, `EACCES`, … */
	| {readonly kind: 'not-started'; readonly code: string};

/** Longest wait for the end of the output: a process that left the group may hold our pipes open. */
const closeGraceMs = 1000;

/**
 * Runs a command until it and its process group have ended. Never rejects. The command leads its own process group, which is ended at the timeout,
 * on an abort, above an output limit with `stop`, and, with SIGKILL, once the command itself has exited. A timeout or an abort after the exit does not change
 * the result, even while output is still read. No listener, timer or pipe outlives the result.
 */
export async function runInGroup(
	job: GroupJob,
	{clock}: {readonly clock: Clock},
): Promise<GroupExit> {
	if (job.signal.aborted || job.killed?.aborted) {
		return {kind: 'aborted'};
	}

	try {
		return await watch(startGroup(job), job, clock);
	} catch (error) {
		return {kind: 'not-started', code: codeOf(error)};
	}
}

/** Starts a command as the leader of its own process group, with pipes to it. End the group with `signalGroup`. @throws as `spawn` does */
export function startGroup({
	command,
	args,
	env,
	cwd,
	feeds = [],
}: Pick<GroupJob, 'command' | 'args' | 'env' | 'cwd' | 'feeds'>): ChildProcess {
	const child = spawn(command, args, {
		cwd,
		detached: true,
		env,
		shell: false,
		stdio: ['pipe', 'pipe', 'pipe', ...feeds.map(() => 'pipe' as const)],
	});
	feedChild(child, feeds);
	return child;
}

/** Writes `feeds` to the descriptors 3, 4, … of a newly started process, each of which must be a pipe. */
export function feedChild(child: ChildProcess, feeds: readonly Buffer[]): void {
	for (const [index, content] of feeds.entries()) {
		const pipe = child.stdio[3 + index];
		if (pipe && 'end' in pipe) {
			// The command may end without reading the pipe.
			pipe.on('error', () => {});
			pipe.end(content);
		}
	}
}

async function watch(child: ChildProcess, job: GroupJob, clock: Clock): Promise<GroupExit> {
	using cleanup = new DisposableStack();
	const {promise, resolve} = Promise.withResolvers<GroupExit>();
	let verdict: GroupExit | undefined;
	let hasExited = false;

	const after = (delayMs: number, callback: () => void) => {
		cleanup.defer(clock.after(delayMs, callback));
	};

	const end = (exit: GroupExit, graceMs: number) => {
		// After the exit the result is fixed, and the process id may belong to another process.
		if (hasExited) {
			return;
		}

		verdict ??= exit;
		if (graceMs <= 0) {
			signalGroup(child, 'SIGKILL');
			return;
		}

		signalGroup(child, 'SIGTERM');
		after(graceMs, () => end(exit, 0));
	};

	const stop = () => {
		// Set here since `end` does nothing after the exit, when the rest of the output is read.
		verdict ??= {kind: 'too-much-output'};
		end(verdict, job.termGraceMs);
	};

	const stdout = collect(child.stdout, job.stdout, stop);
	const stderr = collect(child.stderr, job.stderr, stop);
	after(job.timeoutMs, () => end({kind: 'timeout'}, job.termGraceMs));
	onAbort(job.signal, cleanup, () => end({kind: 'aborted'}, job.termGraceMs));
	onAbort(job.killed, cleanup, () => end({kind: 'aborted'}, 0));
	if (child.pid !== undefined && job.onStart) {
		const started = cleanup.use(job.onStart(child.pid));
		// Disposed at the exit, after which the process id may be reused.
		child.once('exit', () => started[Symbol.dispose]());
	}

	child.once('error', error => resolve({kind: 'not-started', code: codeOf(error)}));
	child.once('exit', () => {
		signalGroup(child, 'SIGKILL');
		hasExited = true;
		after(closeGraceMs, () => {
			child.stdout?.destroy();
			child.stderr?.destroy();
		});
	});
	child.once('close', code => {
		const {text, cutBytes} = stdout();
		if (verdict) {
			const ended =
				job.stdout.above === 'keep-ends' &&
				(verdict.kind === 'timeout' || verdict.kind === 'aborted')
					? {...verdict, stdout: text}
					: verdict;
			resolve(ended);
			return;
		}

		resolve({
			kind: 'exited',
			code,
			stdout: text,
			stderr: stderr().text,
			...(cutBytes !== undefined && {stdoutBytes: cutBytes}),
		});
	});
	child.stdin?.on('error', () => {});
	child.stdin?.end(job.input);
	return await promise;
}

function onAbort(
	signal: AbortSignal | undefined,
	cleanup: DisposableStack,
	listener: () => void,
): void {
	signal?.addEventListener('abort', listener, {once: true});
	cleanup.defer(() => {
		signal?.removeEventListener('abort', listener);
	});
}

/** How many of `limitBytes` are kept from the start of an output; the others are kept from its end. */
const headBytes: Readonly<Record<OutputRule['above'], (limitBytes: number) => number>> = {
	'keep-start': limitBytes => limitBytes,
	stop: limitBytes => limitBytes,
	'keep-end': () => 0,
	'keep-ends': limitBytes => Math.ceil(limitBytes / 2),
};

/** Reads a stream to its end, and keeps what `above` names; under the rule `stop` calls `stop` above the limit. `cutBytes`: full length, if the middle was left out. */
function collect(
	stream: Readable | null,
	{limitBytes, above}: OutputRule,
	stop: () => void,
): () => {readonly text: string; readonly cutBytes?: number} {
	const headLimit = headBytes[above](limitBytes);
	const tailLimit = limitBytes - headLimit;
	const head: Buffer[] = [];
	const tail: Buffer[] = [];
	let [allBytes, headLength, tailLength] = [0, 0, 0];
	stream?.on('data', (chunk: Buffer) => {
		const wasWithin = allBytes <= limitBytes;
		allBytes += chunk.length;
		const first = chunk.subarray(0, headLimit - headLength);
		if (first.length > 0) {
			head.push(first);
			headLength += first.length;
		}

		if (tailLimit > 0 && first.length < chunk.length) {
			tail.push(chunk.subarray(first.length));
			tailLength += chunk.length - first.length;
			// Drop leading chunks that are no longer within the last `tailLimit` bytes.
			while (tail[0] && tailLength - tail[0].length >= tailLimit) {
				tailLength -= tail[0].length;
				tail.shift();
			}
		}

		if (above === 'stop' && wasWithin && allBytes > limitBytes) {
			stop();
		}
	});
	return () => {
		const [start, all] = [Buffer.concat(head), Buffer.concat(tail)];
		const end = all.subarray(Math.max(0, all.length - tailLimit));
		const leftOutBytes = allBytes - start.length - end.length;
		return above === 'keep-ends' && leftOutBytes > 0
			? {
					text: `${start.toString()}\n[… ${leftOutBytes} bytes left out …]\n${end.toString()}`,
					cutBytes: allBytes,
				}
			: {text: Buffer.concat([start, end]).toString()};
	};
}

/** Sends a signal to the remaining processes in the group that the child leads. */
export function signalGroup({pid}: Pick<ChildProcess, 'pid'>, signal: NodeJS.Signals): void {
	if (pid === undefined) {
		return;
	}

	try {
		process.kill(-pid, signal);
	} catch {
		// The group is gone.
	}
}
