import type {ChildProcess} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {orElse} from '../../core/or-else.ts';
import {type GroupExit, type GroupJob, runInGroup, startGroup} from '../../core/process-group.ts';
import {asWord} from '../../core/shell-words.ts';
import {bwrapArguments, isLinuxAtLeast} from './bwrap-arguments.ts';
import {
	type ControlGroup,
	type ControlGroups,
	controlGroups,
	maxTasksOf,
	type SandboxLimits,
} from './control-group.ts';
import type {SandboxPlan} from './plan.ts';
import {seccompProgram} from './seccomp.ts';
import {watchLimits} from './watch-limits.ts';

/** How to start a command in a sandbox: the program, its arguments, and its input at the descriptors 3, 4, … */
export type SandboxLaunch = {
	readonly command: string;
	readonly args: readonly string[];
	readonly feeds: readonly Buffer[];
	/** A folder outside to remove when the command has ended in any way: see `removeScratch`. */
	readonly scratch?: string;
};

/** Prepares a command to run in a sandbox. @throws Error where a listed path leads elsewhere by now; TypeError for a path that this kind of sandbox cannot name */
export type LaunchInSandbox = (plan: SandboxPlan, command: readonly string[]) => SandboxLaunch;

/** A sandbox technique: one for each supported system. */
export type SandboxKind = {
	readonly name: string;
	/** Finds the absolute path of the program that builds the sandbox; `reason`: why it cannot be used. */
	readonly find: (
		path: string,
	) =>
		| {readonly program: string; readonly reason?: undefined}
		| {readonly program?: string; readonly reason: string};
	readonly launch: (program: string, ...what: Parameters<LaunchInSandbox>) => SandboxLaunch;
	/** The program's version, for a person. */
	readonly version: (program: string) => Promise<string>;
	/**
	 * A Bash script that detects gaps, given a folder with a writable `work` (`$0`), a home with a secret (`$1`) and the gateway's process id (`$2`); and its
	 * output if there are none.
	 */
	readonly trial: {readonly source: string; readonly expected: string};
};

/** Arguments of `/bin/bash` before a command. With a socket as input, Bash would assume a remote shell and run the person's startup files. */
export const bashCommand = ['--norc', '-c'] as const;

/** Launches by bubblewrap; `bwrap` is its absolute path. */
export function sandboxLaunch(
	bwrap: string,
	plan: SandboxPlan,
	command: readonly string[],
): SandboxLaunch {
	const {groupFile} = plan;
	const {args, feeds} = bwrapArguments(plan, command, {seccomp: seccompProgram(process.arch)});
	const inherited = inheritedDescriptors().filter(descriptor => descriptor > 2 + feeds.length);
	const before = [
		// Closes descriptors without FD_CLOEXEC that this process inherited, which every child would get.
		...inherited.map(descriptor => `exec ${descriptor}>&-`),
		...(groupFile !== undefined
			? [
					`echo $$ > ${asWord(groupFile)} || { echo 'bwrap: it cannot join its control group' >&2; exit 1; }`,
				]
			: []),
	];
	return before.length === 0
		? {command: bwrap, args, feeds}
		: {
				command: '/bin/bash',
				args: [...bashCommand, [...before, 'exec "$0" "$@"'].join('; '), bwrap, ...args],
				feeds,
			};
}

let inheritedOnce: readonly number[] | undefined;

/** Descriptors without FD_CLOEXEC that this process inherited, which every child would get. Node sets the flag on its own descriptors, so no others are added later. */
function inheritedDescriptors(): readonly number[] {
	inheritedOnce ??= readdirSync('/proc/self/fd')
		.map(Number)
		.filter(descriptor => {
			// The descriptor may be closed by now.
			const info = orElse(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'), '');
			const flags = /^flags:\s*(\d+)/m.exec(info)?.[1];
			return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
		});
	return inheritedOnce;
}

const closeOnExec = 0o2_000_000;

export type SandboxExit =
	/** `code` is 128 plus the signal's number if a signal ended the command. */
	| ({readonly kind: 'exited'; readonly code: number; readonly stderr: string} & Output)
	| ({readonly kind: 'timeout'} & Output)
	/** `limit`: the limit reached, for a sentence. */
	| ({readonly kind: 'above-limit'; readonly limit: string} & Output)
	| ({readonly kind: 'aborted'} & Output)
	/** The sandbox could not be built; `reason` is one line. */
	| {readonly kind: 'not-started'; readonly reason: string};

/** `output`: its beginning and end, with a line between them if something is left out. */
type Output = {readonly output: string};

export type LimitedJob = {
	readonly signal: AbortSignal;
	readonly timeoutMs: number;
	readonly limits: SandboxLimits;
	/** How many bytes of output are kept: half from its beginning, half from its end. */
	readonly outputBytes: number;
	/** Folders whose disks the command must not fill. */
	readonly writes?: readonly string[];
};

export type SandboxJob = LimitedJob & {
	readonly launch: LaunchInSandbox;
	readonly plan: SandboxPlan;
};

const stderrBytes = 4096;

/**
 * Runs a command to its end in a new sandbox. All its processes end with it, because their namespace does. Never rejects.
 *
 * @see manual/sandbox.md
 */
export async function runInSandbox(
	command: readonly string[],
	{launch, plan, ...job}: SandboxJob,
	{clock, groups = controlGroups()}: {readonly clock: Clock; readonly groups?: ControlGroups},
): Promise<SandboxExit> {
	const group = groups.works ? groups.open(job.limits) : undefined;
	try {
		const launched = launch(
			{...plan, maxTasks: maxTasksOf(job.limits), ...(group && {groupFile: group.procs})},
			group ? command : withThreadLimit(command, job.limits),
		);
		const writes = plan.mounts.flatMap(mount => (mount.kind === 'write' ? [mount.from] : []));
		const exit = await runLimited(
			{...launched, env: {}, cwd: '/'},
			{...job, writes},
			{clock, group},
		);
		await removeScratch(launched);
		return exit;
	} catch (error) {
		return {kind: 'not-started', reason: messageOf(error)};
	} finally {
		await group?.remove(clock);
	}
}

/** Runs a launched command, in a sandbox or without one, to its end within its limits. Never rejects. */
export async function runLimited(
	launched: Pick<GroupJob, 'command' | 'args' | 'feeds' | 'env' | 'cwd'>,
	{signal, timeoutMs, limits, outputBytes, writes = []}: LimitedJob,
	{clock, group}: {readonly clock: Clock; readonly group?: ControlGroup | undefined},
): Promise<SandboxExit> {
	const above = new AbortController();
	let limit: string | undefined;
	const exit = await runInGroup(
		{
			...launched,
			input: '',
			stdout: {limitBytes: outputBytes, above: 'keep-ends'},
			stderr: {limitBytes: stderrBytes, above: 'keep-start'},
			timeoutMs,
			termGraceMs: 0,
			signal,
			killed: above.signal,
			onStart(pid) {
				endFirst(pid);
				if (process.platform !== 'linux') {
					// There is nothing to watch.
					return {[Symbol.dispose]() {}};
				}

				return watchLimits(pid, limits, {
					clock,
					...(group && {group}),
					writes,
					onAbove(reached) {
						limit = reached;
						above.abort();
					},
				});
			},
		},
		{clock},
	);
	return exitOf(exit, limit ?? group?.above());
}

/**
 * Limits threads by `ulimit`, which only works from Linux 5.14 to 6.13: from 5.14 on the kernel counts a user's threads per user namespace, before, all that the
 * person runs. It does not apply to root. From 6.14 on the process namespace has a limit of its own.
 *
 * @see setrlimit(2), RLIMIT_NPROC
 */
const withThreadLimit = (command: readonly string[], limits: SandboxLimits): readonly string[] =>
	process.platform !== 'linux' ||
	process.getuid?.() === 0 ||
	!isLinuxAtLeast([5, 14]) ||
	isLinuxAtLeast([6, 14])
		? command
		: ['/bin/bash', ...bashCommand, `ulimit -u ${maxTasksOf(limits)}; exec "$0" "$@"`, ...command];

/** Starts a program that keeps running in its own sandbox, and leads its process group. @throws whatever `launch` and `spawn` throw */
export function startInSandbox(
	command: readonly string[],
	{launch, plan}: Pick<SandboxJob, 'launch' | 'plan'>,
): ChildProcess {
	const launched = launch(plan, command);
	const child = startGroup({...launched, env: {}, cwd: '/'});
	if (child.pid !== undefined) {
		endFirst(child.pid);
	}

	child.once('close', () => {
		void removeScratch(launched);
	});
	return child;
}

/** Removes a sandbox's files from the disk after its end. Never rejects. */
export async function removeScratch({scratch}: Pick<SandboxLaunch, 'scratch'>): Promise<void> {
	if (scratch !== undefined) {
		// Does not wait for a process that escaped and still writes.
		await rm(scratch, {recursive: true, force: true, maxRetries: 3}).catch(() => {});
	}
}

/** When the machine runs out of memory, has the kernel end the command rather than the gateway. Fails if the process has ended, or belongs to another user. */
const endFirst = (pid: number): void =>
	orElse(() => writeFileSync(`/proc/${pid}/oom_score_adj`, '1000'), undefined);

function exitOf(exit: GroupExit, limit: string | undefined): SandboxExit {
	switch (exit.kind) {
		case 'exited': {
			const {code, stdout: output, stderr} = exit;
			if (limit !== undefined) {
				return {kind: 'above-limit', limit, output};
			}

			const [problem] = /^bwrap: .*$/m.exec(stderr) ?? [];
			return problem !== undefined && code !== 0
				? {kind: 'not-started', reason: problem}
				: {kind: 'exited', code: code ?? 137, output, stderr};
		}

		case 'timeout':
			return {kind: 'timeout', output: exit.stdout ?? ''};

		case 'aborted': {
			const {stdout: output = ''} = exit;
			return limit === undefined ? {kind: 'aborted', output} : {kind: 'above-limit', limit, output};
		}

		case 'too-much-output':
			return {kind: 'not-started', reason: 'its output could not be kept'};

		case 'not-started':
			return {kind: 'not-started', reason: `it cannot be started (${exit.code})`};
	}
}
