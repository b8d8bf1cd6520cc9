import {existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {sleep, type Clock} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import {orElse} from '../../core/or-else.ts';
import {isLinuxAtLeast} from './bwrap-arguments.ts';
import {readProcess} from './processes-below.ts';

/** Limits of all processes of a call together. */
export type SandboxLimits = {readonly maxProcesses: number; readonly maxMemoryBytes: number};

/** Tasks per process: the pids controller counts threads, but `max_processes` counts processes. */
const threadsPerProcess = 16;

/** The limit of processes and threads in a sandbox. Where the kernel enforces it, a fork bomb is held there until it is ended. */
export const maxTasksOf = ({maxProcesses}: Pick<SandboxLimits, 'maxProcesses'>): number =>
	maxProcesses * (threadsPerProcess + 1);

/** Names the limit that was reached, for a sentence. */
export const aboveMemory = ({maxMemoryBytes}: SandboxLimits): string =>
	`more than ${Math.round(maxMemoryBytes / 2 ** 20)} MB of memory`;

export const aboveTasks = (limits: SandboxLimits): string =>
	`more than ${maxTasksOf(limits)} threads at once`;

/** The control group of a call: the kernel accounts for everything in it together, including pipes and sockets, and refuses more than the limit. */
export type ControlGroup = ReturnType<typeof openGroup>;

export type ControlGroups =
	| {
			readonly works: true;
			/** `undefined` if no group can be created now. */
			open(limits: SandboxLimits): ControlGroup | undefined;
	  }
	/** `reason` follows a colon. */
	| {readonly works: false; readonly reason: string};

let once: ControlGroups | undefined;

/** The control groups of this process, tried once. If they work, this process is moved to a group below its own. */
export function controlGroups(): ControlGroups {
	once ??= tried();
	return once;
}

function tried(): ControlGroups {
	try {
		return openGroups(
			ownGroup(
				readFileSync('/proc/self/mountinfo', 'utf8'),
				readFileSync('/proc/self/cgroup', 'utf8'),
			),
		);
	} catch (error) {
		return {works: false, reason: messageOf(error)};
	}
}

/** Why no process of this machine can have such groups; `undefined` if some can, depending on their own group. Changes nothing, so that other processes may call it. */
export const whyNoControlGroups = (): string | undefined =>
	!/ - cgroup2 /.test(readFileSync('/proc/self/mountinfo', 'utf8'))
		? noVersion2
		: !isLinuxAtLeast([5, 14])
			? tooOld
			: undefined;

const noVersion2 = 'there is no cgroup v2';

const tooOld = 'it takes Linux 5.14';

/** The folder of a process's group; `undefined` without cgroup v2. @see cgroups(7) */
export function ownGroup(mountinfo: string, cgroup: string): string | undefined {
	const path = /^0::(\/.*)$/m.exec(cgroup)?.[1];
	const [, root, place] = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mountinfo) ?? [];
	if (path === undefined || root === undefined || place === undefined) {
		return undefined;
	}

	// In a container the mount starts at the container's own group.
	const below = root !== '/' && `${path}/`.startsWith(`${root}/`) ? path.slice(root.length) : path;
	return join(place.replaceAll(String.raw`\040`, ' '), below).replace(/\/$/, '');
}

/** @param own the group of this process, which may hold its children and no other processes; they are moved along. @throws whatever the file system refuses */
export function openGroups(own: string | undefined): ControlGroups {
	if (own === undefined) {
		return {works: false, reason: noVersion2};
	}

	if (!existsSync(join(own, 'cgroup.events'))) {
		return {works: false, reason: 'the gateway is in the group of the whole machine'};
	}

	const missing = ['memory', 'pids'].filter(
		name => !wordsIn(join(own, 'cgroup.controllers')).includes(name),
	);
	if (missing.length > 0) {
		return {works: false, reason: `its group does not have ${missing.join(' and ')}`};
	}

	const procs = join(own, 'cgroup.procs');
	if (pidsOf(procs).some(pid => !isOurs(pid))) {
		return {works: false, reason: 'programs that svc did not start are in its group'};
	}

	// A group that delegates controllers must not contain processes itself.
	const ours = join(own, 'svc-gateway');
	mkdirSync(ours, {recursive: true});
	moveAll(procs, join(ours, 'cgroup.procs'));
	writeFileSync(join(own, 'cgroup.subtree_control'), '+memory +pids');
	let last = 0;
	const nextFolder = () => {
		last += 1;
		return join(own, `svc-call-${process.pid}-${last}`);
	};

	const trial = nextFolder();
	openGroup(trial, {maxProcesses: 1, maxMemoryBytes: 2 ** 20});
	const canEnd = existsSync(join(trial, 'cgroup.kill'));
	rmdirSync(trial);
	return canEnd
		? {
				works: true,
				open: limits => orElse(() => openGroup(nextFolder(), limits), undefined),
			}
		: {works: false, reason: tooOld};
}

/** How often the list is read again for processes started meanwhile. */
const sweeps = 100;

/**
 * Moves all processes of a group to another one; both arguments are `cgroup.procs` files. Repeats, because meanwhile processes end, and unmoved ones start others.
 *
 * @throws whatever the file system refuses, but for processes that have ended
 */
export function moveAll(
	from: string,
	to: string,
	write: (path: string, text: string) => void = writeFileSync,
): void {
	const move = (pid: number) => {
		try {
			write(to, String(pid));
		} catch (error) {
			if (codeOf(error) !== 'ESRCH') {
				throw error;
			}
		}
	};

	for (let sweep = 0; sweep < sweeps; sweep += 1) {
		const pids = pidsOf(from);
		if (pids.length === 0) {
			return;
		}

		for (const pid of pids) {
			move(pid);
		}
	}
}

function openGroup(folder: string, limits: SandboxLimits) {
	const {maxMemoryBytes} = limits;
	const file = (name: string) => join(folder, name);
	mkdirSync(folder);
	writeFileSync(file('memory.max'), String(maxMemoryBytes));
	writeFileSync(file('memory.oom.group'), '1');
	writeFileSync(file('pids.max'), String(maxTasksOf(limits)));
	if (existsSync(file('memory.swap.max'))) {
		writeFileSync(file('memory.swap.max'), '0');
	}

	const hasHappened = (name: string, event: RegExp) =>
		orElse(() => event.test(readFileSync(file(name), 'utf8')), false);

	return {
		/** The file to write a process number to, which moves the process into the group; its children follow. */
		procs: file('cgroup.procs'),
		/** The limit that was reached, for a sentence. */
		above: (): string | undefined =>
			hasHappened('memory.events', /^oom_kill [1-9]/m)
				? aboveMemory(limits)
				: hasHappened('pids.events', /^max [1-9]/m)
					? aboveTasks(limits)
					: undefined,
		/** Kills all processes in the group at once. If that fails, they are ended individually later. */
		end: () => orElse(() => writeFileSync(file('cgroup.kill'), '1'), undefined),
		/** Removes the group once all its processes have ended. Never rejects. */
		async remove(clock: Clock): Promise<void> {
			for (let tries = 0; tries < maxTries; tries += 1) {
				try {
					rmdirSync(folder);
					return;
				} catch {
					// A process that has just ended stays in the group for a moment.
					// oxlint-disable-next-line no-await-in-loop -- one try after the other
					await sleep(clock, tryEveryMs);
				}
			}
		},
	};
}

const maxTries = 40;
const tryEveryMs = 25;

const wordsIn = (path: string): readonly string[] =>
	readFileSync(path, 'utf8')
		.split(/\s+/)
		.filter(word => word !== '');

const pidsOf = (path: string): readonly number[] => wordsIn(path).map(Number);

/** Whether a process is this one or a descendant; true if it has ended meanwhile. */
function isOurs(pid: number): boolean {
	let one = pid;
	while (one > 0 && one !== process.pid) {
		one = readProcess(one)?.parent ?? process.pid;
	}

	return one === process.pid;
}
