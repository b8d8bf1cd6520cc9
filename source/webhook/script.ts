import {extname} from 'node:path';
import type {Clock} from '../core/clock.ts';
import {codeOf} from '../core/errors.ts';
import {createSemaphore} from '../core/mutex.ts';
import {runInGroup} from '../core/process-group.ts';
import {containedPath} from './filter-files.ts';
import type {ScriptExit} from './script-step.ts';

const outputLimit = 1_048_576;

const stderrKept = 2000;

const atOnce = 8;

const maxQueued = 64;

const passedOn = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR)$/;

const shells: ReadonlySet<string> = new Set(['.sh', '.bash']);

type ScriptJob = {
	/** As written in the route. */
	readonly script: string;
	/** Scripts folder of its profile; absolute. */
	readonly folder: string;
	/** Includes the time in the queue. */
	readonly timeoutMs: number;
	/** Written to its standard input. */
	readonly input: Buffer | string;
	readonly event: string;
	readonly deliveryId: string;
};

export type Scripts = {
	/** Runs one script until its process group has ended; never rejects. `busy`: the queue was full or did not move in time, so the script was not started. */
	run(job: ScriptJob, signal: AbortSignal): Promise<ScriptExit | {readonly kind: 'busy'}>;
};

/**
 * Runs filter scripts, at most 8 at once and 64 in the queue; the timeout of a script includes its time in the queue. Each script has its own process group, which is killed at
 * the timeout, at 1 MiB of output, when the gateway stops, and when the script ends.
 *
 * @see manual/filters-and-templates.md#scripts
 */
export function createScripts({
	clock,
	environment,
}: {
	readonly clock: Clock;
	readonly environment: () => Readonly<Record<string, string>>;
}): Scripts {
	const places = createSemaphore(clock, {count: atOnce, maxWaiting: maxQueued});

	/** `waitedMs`: part of the timeout spent in the queue. */
	const runFile = async (
		path: string,
		{waitedMs, ...job}: ScriptJob & {readonly waitedMs: number},
		signal: AbortSignal,
	): Promise<ScriptExit> => {
		const afterMs = job.timeoutMs - waitedMs;
		const exit = await runInGroup(
			{
				command: shells.has(extname(path)) ? 'bash' : 'python3',
				args: [path],
				env: scriptEnvironment(environment(), job),
				cwd: job.folder,
				input: job.input,
				stdout: {limitBytes: outputLimit, above: 'stop'},
				stderr: {limitBytes: stderrKept, above: 'keep-end'},
				timeoutMs: afterMs,
				termGraceMs: 0,
				signal,
			},
			{clock},
		);
		switch (exit.kind) {
			case 'exited':
				return exit;
			case 'timeout':
				return {kind: 'timeout', afterMs, waitedMs};
			case 'too-much-output':
				return {kind: 'too-much-output', limitBytes: outputLimit};
			case 'aborted':
				return {kind: 'stopped'};
			case 'not-started':
				return {kind: 'not-started', reason: exit.code};
		}
	};

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

				const path = containedPath(job.folder, job.script);
				return path === undefined
					? {kind: 'missing'}
					: await runFile(path, {...job, waitedMs}, signal);
			} catch (error) {
				return {kind: 'not-started', reason: codeOf(error)};
			} finally {
				release();
			}
		},
	};
}

/** The environment of a script: only these variables, so that no secret of `.env` is passed. @see manual/filters-and-templates.md#scripts */
export function scriptEnvironment(
	environment: Readonly<Record<string, string>>,
	{event, deliveryId}: {readonly event: string; readonly deliveryId: string},
): Record<string, string> {
	const passed = Object.entries(environment).filter(([name]) => passedOn.test(name));
	return {
		...Object.fromEntries(passed),
		SVC_WEBHOOK_EVENT_TYPE: event,
		SVC_WEBHOOK_DELIVERY_ID: deliveryId,
	};
}
