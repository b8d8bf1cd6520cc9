import {type ChildProcess, spawn} from 'node:child_process';
import type {Readable} from 'node:stream';
import type {Clock} from './clock.ts';
import {codeOf} from './errors.ts';

/** How much of an output is kept, and what happens above it. What is not kept is read all the same: a full pipe would stop the command. */
export type OutputRule = {
	readonly limitBytes: number;
	readonly above: 'keep-start' | 'keep-end' | 'stop';
};

/** One command, run without a shell: every argument arrives as it is. */
export type GroupJob = {
	readonly command: string;
	readonly args: readonly string[];
	/** The whole environment of the command. */
	readonly env: Readonly<Record<string, string>>;
	readonly cwd: string;
	/** Fed to its standard input, which it need not read. */
	readonly input: Buffer | string;
	readonly stdout: OutputRule;
	readonly stderr: OutputRule;
	readonly timeoutMs: number;
	/** From SIGTERM to SIGKILL; 0: SIGKILL at once. */
	readonly termGraceMs: number;
	/** Ends the group, with that grace. */
	readonly signal: AbortSignal;
	/** Ends the group at once. */
	readonly killed?: AbortSignal;
};

export type GroupExit =
	/** `code` is `null` when a signal ended it. */
	| {
			readonly kind: 'exited';
			readonly code: number | null;
			readonly stdout: string;
			readonly stderr: string;
	  }
	| {readonly kind: 'timeout'}
	| {readonly kind: 'too-much-output'}
	| {readonly kind: 'aborted'}
	/** `code` is Node's: `ENOENT`, `EACCES`, … */
	| {readonly kind: 'not-started'; readonly code: string};

/** A process that left the group may hold our pipes open; its output is not waited for longer. */
const closeGraceMs = 1000;

/**
 * Runs a command to its end and the end of its process group. Never rejects. The command leads a group of its own, which is ended at the timeout,
 * on an abort, above an output limit with `stop`, and, with SIGKILL, when the command itself has exited. How it exited then stands, whatever is
 * left to read. No listener, timer or pipe outlives the result.
 */
export async function runInGroup(
	job: GroupJob,
	{clock}: {readonly clock: Clock},
): Promise<GroupExit> {
	if (job.signal.aborted || job.killed?.aborted) {
		return {kind: 'aborted'};
	}

	try {
		const child = spawn(job.command, job.args, {
			cwd: job.cwd,
			detached: true,
			env: job.env,
			shell: false,
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		return await watch(child, job, clock);
	} catch (error) {
		return {kind: 'not-started', code: codeOf(error)};
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
		// How the command exited stands, and its number may be another's by now.
		if (hasExited) {
			return;
		}

		verdict ??= exit;
		if (graceMs <= 0) {
			signalGroup(child, 'SIGKILL');
			return;
		}

		signalGroup(child, 'SIGTERM');
		after(graceMs, () => {
			end(exit, 0);
		});
	};

	const stop = () => {
		// Also of a command that has exited: the rest of its output was still in the pipe.
		verdict ??= {kind: 'too-much-output'};
		end(verdict, job.termGraceMs);
	};

	const stdout = collect(child.stdout, job.stdout, stop);
	const stderr = collect(child.stderr, job.stderr, stop);
	after(job.timeoutMs, () => {
		end({kind: 'timeout'}, job.termGraceMs);
	});
	onAbort(job.signal, cleanup, () => {
		end({kind: 'aborted'}, job.termGraceMs);
	});
	onAbort(job.killed, cleanup, () => {
		end({kind: 'aborted'}, 0);
	});
	child.once('error', error => {
		resolve({kind: 'not-started', code: codeOf(error)});
	});
	child.once('exit', () => {
		signalGroup(child, 'SIGKILL');
		hasExited = true;
		after(closeGraceMs, () => {
			child.stdout?.destroy();
			child.stderr?.destroy();
		});
	});
	child.once('close', code => {
		resolve(verdict ?? {kind: 'exited', code, stdout: stdout(), stderr: stderr()});
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

/** Reads to the end and keeps what `rule` says; calls `stop` once when it says so. */
function collect(
	stream: Readable | null,
	{limitBytes, above}: OutputRule,
	stop: () => void,
): () => string {
	let kept: Buffer[] = [];
	let bytes = 0;
	let isFull = false;
	stream?.on('data', (chunk: Buffer) => {
		if (isFull) {
			return;
		}

		kept.push(chunk);
		bytes += chunk.length;
		if (bytes <= limitBytes) {
			return;
		}

		const all = Buffer.concat(kept);
		const part = above === 'keep-end' ? all.subarray(-limitBytes) : all.subarray(0, limitBytes);
		kept = [part];
		bytes = part.length;
		isFull = above !== 'keep-end';
		if (above === 'stop') {
			stop();
		}
	});
	return () => Buffer.concat(kept).toString();
}

function signalGroup({pid}: ChildProcess, signal: NodeJS.Signals): void {
	if (pid === undefined) {
		return;
	}

	try {
		process.kill(-pid, signal);
	} catch {
		// The group is gone.
	}
}
