import {
	existsSync,
	mkdtempSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
	mkdirSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {systemClock, type Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {bubblewrap, capture, probeMs, whatForbids} from './bubblewrap.ts';
import {highestNumber} from './bwrap-arguments.ts';
import {type SandboxLists, type SandboxPlan, sandboxPlan} from './plan.ts';
import {
	bashCommand,
	type LaunchInSandbox,
	runInSandbox,
	type SandboxKind,
	sandboxLaunch,
} from './run-in-sandbox.ts';
import {seatbelt} from './seatbelt.ts';
import {findMoved, systemWorld} from './system-world.ts';

/** Whether sandboxes work here. `reason` follows `no sandbox works here: `. */
type SandboxProbe =
	| {
			readonly works: true;
			/** The sandbox's kind with its version. */
			readonly name: string;
			/** The absolute path of the program that builds it. */
			readonly program: string;
			readonly launch: LaunchInSandbox;
	  }
	| {readonly works: false; readonly reason: string; readonly program?: string | undefined};

type Tried = {
	readonly probe: Promise<SandboxProbe>;
	/** Monotonic time of the failure; absent while the sandbox works, or is being tried. */
	failedAtMs?: number;
};

const probes = new Map<string, Tried>();

/** A failure is retried after this time: the machine may have been busy, or a person may have fixed it. */
const failureMs = 60_000;

/** Tests whether sandboxes work here. Success is cached per PATH until this process ends, a failure for a minute. Never rejects. */
export async function probeSandbox(
	environment: Readonly<Record<string, string | undefined>>,
	{clock}: {readonly clock: Clock} = {clock: systemClock},
): Promise<SandboxProbe> {
	const key = environment['PATH'] ?? '';
	const last = probes.get(key);
	if (last && clock.monotonic() - (last.failedAtMs ?? Infinity) < failureMs) {
		return last.probe;
	}

	const next: Tried = {probe: tried(environment)};
	probes.set(key, next);
	const probe = await next.probe;
	if (!probe.works) {
		next.failedAtMs = clock.monotonic();
	}

	return probe;
}

async function tried(
	environment: Readonly<Record<string, string | undefined>>,
): Promise<SandboxProbe> {
	const kind = kinds[process.platform];
	if (!kind) {
		return {works: false, reason: 'it takes Linux with bubblewrap, or macOS'};
	}

	const {program, reason: unusable} = kind.find(environment['PATH'] ?? '');
	if (unusable !== undefined) {
		return {works: false, program, reason: unusable};
	}

	try {
		const reason = await whyNot(kind, program);
		if (reason !== undefined) {
			return {works: false, program, reason};
		}

		const name = `${kind.name} ${await kind.version(program)}`;
		const launch = launchOf(kind, program, await boundsTasks(kind, program));
		return {works: true, name, program, launch};
	} catch (error) {
		return {works: false, program, reason: messageOf(error)};
	}
}

/** Launches a sandbox. Planning may be long ago, so its paths are checked again. */
const launchOf =
	(kind: SandboxKind, program: string, isBounded: boolean): LaunchInSandbox =>
	(plan, command) => {
		const moved = findMoved(plan);
		if (moved !== undefined) {
			throw new Error(`"${moved}" leads elsewhere by now; try again, or list where it leads`);
		}

		return kind.launch(program, isBounded ? plan : withoutBound(plan), command);
	};

const kinds: Readonly<Partial<Record<NodeJS.Platform, SandboxKind>>> = {
	linux: bubblewrap,
	darwin: seatbelt,
};

/** Why a sandbox does not confine its command; `undefined` if it does. */
async function whyNot(
	{name, trial: {source, expected}, launch}: SandboxKind,
	program: string,
): Promise<string | undefined> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-sandbox-')));
	try {
		const home = join(folder, 'home');
		const work = join(folder, 'work');
		mkdirSync(home);
		mkdirSync(work);
		writeFileSync(join(home, 'secret'), 'secret\n');
		const exit = await runInSandbox(
			['/bin/bash', ...bashCommand, source, folder, home, String(process.pid)],
			{
				launch: (plan, command) => launch(program, withoutBound(plan), command),
				plan: trialPlan({workdir: work}, {userHome: home, svcHome: home}),
				signal: new AbortController().signal,
				timeoutMs: probeMs,
				limits: {maxProcesses: 64, maxMemoryBytes: 2 ** 28},
				outputBytes: 1000,
			},
			{clock: systemClock},
		);
		if (exit.kind === 'not-started') {
			const forbids = whatForbids(process.getuid?.() ?? 0);
			return `${exit.reason} (${program})${forbids === undefined ? '' : `; ${forbids}`}`;
		}

		if (exit.kind !== 'exited') {
			return `trying it ended with "${exit.kind}" (${program})`;
		}

		if (exit.output !== expected || existsSync(join(folder, 'outside'))) {
			return `${program} does not keep in what it starts: ${exit.output || exit.stderr}`;
		}

		if (!existsSync(join(work, 'inside'))) {
			return `${program} opens no folder to write`;
		}

		return name === bubblewrap.name && (await runsThoughSwapped(folder, program))
			? `${program} mounts at another place where a folder is swapped for a link meanwhile`
			: undefined;
	} finally {
		rmSync(folder, {recursive: true, force: true});
	}
}

/** The plan of the test. @throws Error for folders that no sandbox can use */
function trialPlan(
	lists: Partial<SandboxLists>,
	homes: {readonly userHome: string; readonly svcHome: string},
): SandboxPlan {
	const planned = sandboxPlan(
		{read: [], write: [], memoryBytes: 2 ** 20, ...lists},
		systemWorld({...homes, profileHome: homes.svcHome, environment: {}}),
	);
	if (planned.kind === 'problem') {
		const {path, problem} = planned.problem;
		throw new Error(`the folder for trying it cannot be used: ${path} ${problem}`);
	}

	return planned.plan;
}

const withoutBound = (plan: SandboxPlan): SandboxPlan => ({...plan, maxTasks: undefined});

/**
 * Whether the kernel enforces `maxTasks`. Call only once processes are known to be in their own namespace: otherwise, as root, this would change the limit of the
 * whole machine.
 */
async function boundsTasks({launch}: SandboxKind, program: string): Promise<boolean> {
	const maxTasks = 20_000;
	const nowhere = {userHome: '/nonexistent', svcHome: '/nonexistent'};
	const plan = {...trialPlan({}, nowhere), cwd: '/', maxTasks};
	const command = ['/bin/bash', ...bashCommand, 'echo "$(< /proc/sys/kernel/pid_max)"'];
	const output = await capture(launch(program, plan, command));
	return output.trim() === String(highestNumber(maxTasks));
}

/** Whether a command runs although, after planning, a folder on the way to a mount was swapped for a link out of the sandbox. */
async function runsThoughSwapped(folder: string, bwrap: string): Promise<boolean> {
	const inner = join(folder, 'read/inner');
	const secret = join(inner, 'secret');
	const out = join(folder, 'out');
	mkdirSync(secret, {recursive: true});
	mkdirSync(out);
	const plan = trialPlan({read: [join(folder, 'read')]}, {userHome: folder, svcHome: secret});
	rmSync(inner, {recursive: true});
	// The machine's path as bubblewrap sees it while mounting.
	symlinkSync(join('/oldroot', out), inner);
	const launch = sandboxLaunch(bwrap, {...plan, cwd: '/'}, ['/bin/bash', '-c', 'echo ran']);
	return (await capture(launch)).includes('ran');
}
