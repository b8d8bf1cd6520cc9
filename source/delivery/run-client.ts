import {type ChildProcess, spawn} from 'node:child_process';
import type {Readable} from 'node:stream';
import type {Clock} from '../core/clock.ts';
import {codeOf} from '../core/errors.ts';

/** One call of a command-line client. No shell: every argument arrives as it is. */
export type ClientCall = {
	readonly file: string;
	readonly args: readonly string[];
	/** The whole environment of the child. */
	readonly environment: Readonly<Record<string, string>>;
	readonly input: string;
	readonly timeoutMs: number;
	/** Asks the child to end. */
	readonly signal: AbortSignal;
	/** Ends the child at once. */
	readonly killed: AbortSignal;
};

export type ClientExit =
	/** `stdout` and `stderr` are cut after 64 kB each; `code` is `null` when a signal ended it. */
	| {
			readonly kind: 'exited';
			readonly code: number | null;
			readonly stdout: string;
			readonly stderr: string;
	  }
	/** `code` is Node's: `ENOENT`, `EACCES`, … */
	| {readonly kind: 'not-started'; readonly code: string}
	| {readonly kind: 'timeout'}
	| {readonly kind: 'aborted'};

const outputLimit = 64 * 1024;

/** From SIGTERM to SIGKILL, and from the end of the child to the end of what it left open. */
const graceMs = 2000;

/**
 * Runs a client to its end. Never rejects. The child leads a process group of its own; when this settles, the group is gone: ended with SIGTERM
 * and, 2 s later, SIGKILL after a timeout or an abort, with SIGKILL when the child itself has left.
 */
export async function runClient(call: ClientCall, clock: Clock): Promise<ClientExit> {
	if (call.signal.aborted || call.killed.aborted) {
		return {kind: 'aborted'};
	}

	let child;
	try {
		child = spawn(call.file, call.args, {
			// Nothing near the gateway may influence the client, and a folder that is gone must not look like a client that is gone.
			cwd: '/',
			detached: true,
			env: call.environment,
			shell: false,
			stdio: ['pipe', 'pipe', 'pipe'],
		});
	} catch (error) {
		return {kind: 'not-started', code: codeOf(error)};
	}

	return watch(child, call, clock);
}

async function watch(child: ChildProcess, call: ClientCall, clock: Clock): Promise<ClientExit> {
	const stdout = collect(child.stdout);
	const stderr = collect(child.stderr);
	const {promise, resolve} = Promise.withResolvers<ClientExit>();
	const cleanup = new DisposableStack();
	let verdict: ClientExit | undefined;

	const after = (delayMs: number, callback: () => void) => {
		cleanup.defer(clock.after(delayMs, callback));
	};

	const end = (exit: ClientExit) => {
		if (verdict === undefined) {
			verdict = exit;
			signalGroup(child, 'SIGTERM');
			after(graceMs, () => {
				signalGroup(child, 'SIGKILL');
			});
		}
	};

	after(call.timeoutMs, () => {
		end({kind: 'timeout'});
	});
	onAbort(call.signal, cleanup, () => {
		end({kind: 'aborted'});
	});
	onAbort(call.killed, cleanup, () => {
		end({kind: 'aborted'});
		signalGroup(child, 'SIGKILL');
	});
	child.once('error', error => {
		resolve({kind: 'not-started', code: codeOf(error)});
	});
	child.once('exit', () => {
		signalGroup(child, 'SIGKILL');
		// What left the group may still hold our pipes.
		after(graceMs, () => {
			child.stdout?.destroy();
			child.stderr?.destroy();
		});
	});
	child.once('close', code => {
		resolve(verdict ?? {kind: 'exited', code, stdout: stdout(), stderr: stderr()});
	});
	// A client that has failed does not read its input.
	child.stdin?.on('error', () => {});
	child.stdin?.end(call.input);

	using _ = cleanup;
	return await promise;
}

function onAbort(signal: AbortSignal, cleanup: DisposableStack, listener: () => void): void {
	signal.addEventListener('abort', listener, {once: true});
	cleanup.defer(() => {
		signal.removeEventListener('abort', listener);
	});
}

/** Reads to the end, since a full pipe would stop the child; keeps the beginning. */
function collect(stream: Readable | null): () => string {
	const chunks: Buffer[] = [];
	let bytes = 0;
	stream?.on('data', (chunk: Buffer) => {
		const kept = chunk.subarray(0, outputLimit - bytes);
		bytes += kept.length;
		if (kept.length > 0) {
			chunks.push(kept);
		}
	});
	return () => Buffer.concat(chunks).toString();
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
