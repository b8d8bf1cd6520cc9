import {spawn} from 'node:child_process';
import type {ChildProcess} from 'node:child_process';
import {extname} from 'node:path';
import type {Clock} from '../core/clock.ts';
import {codeOf} from '../core/errors.ts';
import {containedPath} from './contained-path.ts';
import {createPlaces} from './places.ts';
import {scriptEnvironment} from './script-environment.ts';
import type {ScriptExit} from './script-verdict.ts';

const outputLimit = 1_048_576;

const stderrKept = 2000;

const atOnce = 8;

const mostWaiting = 64;

/** A process that left the group may hold our pipe open; its output is not waited for. */
const closeGraceMs = 1000;

const nothing = () => {};

const shells: ReadonlySet<string> = new Set(['.sh', '.bash']);

export type ScriptJob = {
	/** As written in the route. */
	readonly script: string;
	/** For everything: its wait in line and its work. */
	readonly timeoutMs: number;
	/** Fed to its standard input. */
	readonly input: Buffer | string;
	readonly event: string;
	readonly deliveryId: string;
};

export type Scripts = {
	/** Runs one script to its end and the end of its process group; never rejects. `busy`: no place became free in time, nothing was started. */
	run(job: ScriptJob, signal: AbortSignal): Promise<ScriptExit | {readonly kind: 'busy'}>;
};

/**
 * Runs filter scripts: at most 8 at once and 64 waiting, each waiting and working within one timeout, in their own process group, which is killed at the timeout, at 1 MiB of output,
 * when the gateway stops, and when the script ends. `folder` is the profile's scripts folder.
 *
 * @see Interface 2.8, Decisions 3
 */
export function createScripts({
	clock,
	folder,
	environment,
}: {
	readonly clock: Clock;
	readonly folder: string;
	readonly environment: () => Readonly<Record<string, string>>;
}): Scripts {
	const places = createPlaces(clock, {count: atOnce, mostWaiting});

	return {
		async run(job, signal) {
			const cameAt = clock.monotonic();
			const release = await places.take(job.timeoutMs, signal);
			if (!release) {
				return {kind: signal.aborted ? 'stopped' : 'busy'};
			}

			try {
				const waitedMs = clock.monotonic() - cameAt;
				if (waitedMs >= job.timeoutMs) {
					return {kind: 'busy'};
				}

				const path = containedPath(folder, job.script);
				return path === undefined
					? {kind: 'missing'}
					: await runFile({path, folder, job, waitedMs, environment: environment(), clock, signal});
			} catch (error) {
				return {kind: 'not-started', reason: codeOf(error)};
			} finally {
				release();
			}
		},
	};
}

type FileJob = {
	readonly path: string;
	readonly folder: string;
	readonly job: ScriptJob;
	/** Part of the timeout that went by in line. */
	readonly waitedMs: number;
	readonly environment: Readonly<Record<string, string>>;
	readonly clock: Clock;
	readonly signal: AbortSignal;
};

async function runFile(fileJob: FileJob): Promise<ScriptExit> {
	const {path, folder, job, waitedMs, environment, clock, signal} = fileJob;
	if (signal.aborted) {
		return {kind: 'stopped'};
	}

	// A group of its own: what the script starts dies with it.
	const child = spawn(shells.has(extname(path)) ? 'bash' : 'python3', [path], {
		cwd: folder,
		detached: true,
		env: scriptEnvironment(environment, job),
		stdio: ['pipe', 'pipe', 'pipe'],
	});

	return new Promise(resolve => {
		let verdict: ScriptExit | undefined;
		const end = (exit: ScriptExit) => {
			verdict ??= exit;
			killGroup(child);
		};

		const onAbort = () => {
			end({kind: 'stopped'});
		};

		const output = collect(child, () => {
			end({kind: 'too-much-output', limitBytes: outputLimit});
		});
		const afterMs = job.timeoutMs - waitedMs;
		const cancelTimeout = clock.after(afterMs, () => {
			end({kind: 'timeout', afterMs, waitedMs});
		});
		let cancelGrace = nothing;
		const settle = (exit: ScriptExit) => {
			cancelTimeout();
			cancelGrace();
			signal.removeEventListener('abort', onAbort);
			resolve(verdict ?? exit);
		};

		signal.addEventListener('abort', onAbort, {once: true});
		child.on('error', error => {
			settle({kind: 'not-started', reason: codeOf(error)});
		});
		child.on('exit', () => {
			killGroup(child);
			cancelGrace = clock.after(closeGraceMs, () => {
				child.stdout.destroy();
				child.stderr.destroy();
			});
		});
		child.on('close', code => {
			settle({kind: 'exited', code, ...output()});
		});
		// A script need not read its input.
		child.stdin.on('error', nothing);
		child.stdin.end(job.input);
	});
}

/** Keeps what the child prints, up to the limit; `onFull` is called once above it. */
function collect(
	child: ChildProcess,
	onFull: () => void,
): () => {readonly stdout: string; readonly stderr: string} {
	const chunks: Buffer[] = [];
	let bytes = 0;
	let stderr = '';
	child.stdout?.on('data', (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes <= outputLimit) {
			chunks.push(chunk);
		} else {
			onFull();
		}
	});
	child.stderr?.on('data', (chunk: Buffer) => {
		stderr = (stderr + chunk.toString()).slice(-stderrKept);
	});

	return () => ({stdout: Buffer.concat(chunks).toString(), stderr});
}

function killGroup(child: ChildProcess): void {
	if (child.pid === undefined) {
		return;
	}

	try {
		process.kill(-child.pid, 'SIGKILL');
	} catch {
		// The group has ended.
	}
}
