import {
	accessSync,
	constants,
	existsSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
	mkdirSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {systemClock, type Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {runInGroup} from '../../core/process-group.ts';
import {sandboxPlan} from './plan.ts';
import {
	bashCommand,
	type LaunchInSandbox,
	runInSandbox,
	type SandboxKind,
	type SandboxLaunch,
	sandboxLaunch,
} from './run-in-sandbox.ts';
import {seatbelt} from './seatbelt.ts';
import {systemWorld} from './system-world.ts';

/** Whether sandboxes work here. `reason` follows `no sandbox works here: `. */
export type SandboxProbe =
	| {
			readonly works: true;
			/** Of the kind, with its version. */
			readonly name: string;
			/** What builds it, by an absolute path. */
			readonly program: string;
			readonly launch: LaunchInSandbox;
	  }
	| {readonly works: false; readonly reason: string; readonly program?: string | undefined};

const probes = new Map<string, Promise<SandboxProbe>>();

/** Whether sandboxes work here, tried once for each PATH until this process ends. Never rejects. */
export async function probeSandbox(
	environment: Readonly<Record<string, string | undefined>>,
): Promise<SandboxProbe> {
	const key = environment['PATH'] ?? '';
	const known = probes.get(key) ?? tried(environment);
	probes.set(key, known);
	return known;
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
		const reason = await whyNot(kind, program, systemClock);
		return reason === undefined
			? {
					works: true,
					name: `${kind.name} ${await kind.version(program)}`,
					program,
					launch: (plan, command) => kind.launch(program, plan, command),
				}
			: {works: false, program, reason};
	} catch (error) {
		return {works: false, program, reason: messageOf(error)};
	}
}

/** The first one on PATH; folders that depend on where svc was started do not count. */
function findBwrap(path: string): string | undefined {
	for (const folder of path.split(delimiter).filter(name => name.startsWith('/'))) {
		try {
			const program = realpathSync(join(folder, 'bwrap'));
			accessSync(program, constants.X_OK);
			return program;
		} catch {
			// The next folder.
		}
	}

	return undefined;
}

const probeMs = 10_000;

const bubblewrap: SandboxKind = {
	name: 'bubblewrap',
	find(path) {
		const program = findBwrap(path);
		return program === undefined
			? {
					reason:
						'bubblewrap is not on PATH; install it (Debian and Ubuntu: apt install bubblewrap)',
				}
			: (statSync(program).mode & 0o6000) === 0
				? {program}
				: {
						program,
						reason: `${program} is setuid: its mistakes would be those of root; take that bit away (chmod u-s) or put another one first on PATH`,
					};
	},
	launch: sandboxLaunch,
	version: async program => versionOf(program, systemClock),
	trial: {
		source: `
printf 'net %s ' "$(grep -c : /proc/net/dev)"
while read -r name value; do case "$name" in CapEff:) printf 'caps %s ' "$value";; NoNewPrivs:) printf 'nnp %s ' "$value";; esac; done < /proc/self/status
if read -r line < "$1/secret" ; then printf 'secret yes '; else printf 'secret no '; fi 2>/dev/null
if : > /proc/sys/kernel/core_pattern; then printf 'sys yes '; else printf 'sys no '; fi 2>/dev/null
printf 'env %s ' "$(printf %s "$SVC_PROBE" | wc -c)"
set -- /proc/[0-9]*; if [ $# -lt 9 ]; then printf 'pids few'; else printf 'pids %s' $#; fi
: > "$0/outside"; : > "$0/work/inside"
`,
		expected: 'net 1 caps 0000000000000000 nnp 1 secret no sys no env 0 pids few',
	},
};

const kinds: Readonly<Partial<Record<NodeJS.Platform, SandboxKind>>> = {
	linux: bubblewrap,
	darwin: seatbelt,
};

/** Why a sandbox of ours does not keep in what it is for; `undefined`: it does. */
async function whyNot(
	{name, trial: {source, expected}, launch}: SandboxKind,
	program: string,
	clock: Clock,
): Promise<string | undefined> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-sandbox-')));
	try {
		const home = join(folder, 'home');
		const work = join(folder, 'work');
		mkdirSync(home);
		mkdirSync(work);
		writeFileSync(join(home, 'secret'), 'secret\n');
		const planned = sandboxPlan(
			{workdir: work, read: [], write: [], memoryBytes: 2 ** 20},
			systemWorld({userHome: home, svcHome: home, profileHome: home, environment: {}}),
		);
		if (planned.kind === 'problem') {
			return `the folder for trying it cannot be used: ${planned.problem.path} ${planned.problem.problem}`;
		}

		const exit = await runInSandbox(
			['/bin/bash', ...bashCommand, source, folder, home, String(process.pid)],
			{
				launch: (...what) => launch(program, ...what),
				plan: planned.plan,
				signal: new AbortController().signal,
				timeoutMs: probeMs,
				limits: {maxProcesses: 64, maxMemoryBytes: 2 ** 28},
				outputBytes: 1000,
			},
			{clock},
		);
		if (exit.kind === 'not-started') {
			const forbids = whatForbids(process.getuid?.() ?? 0, settingOf);
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

		return name === bubblewrap.name && (await runsThoughSwapped(folder, {bwrap: program, clock}))
			? `${program} mounts at another place where a folder is swapped for a link meanwhile`
			: undefined;
	} finally {
		rmSync(folder, {recursive: true, force: true});
	}
}

/** Settings of the kernel that keep a person, not root, from making a sandbox, and what to do. */
const forbidding = [
	[
		'/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
		'1',
		'AppArmor forbids user namespaces to programs without a profile: install one for bwrap (Ubuntu: apt install apparmor-profiles, then copy /usr/share/apparmor/extra-profiles/bwrap-userns-restrict to /etc/apparmor.d and run apparmor_parser -r on it)',
	],
	[
		'/proc/sys/kernel/unprivileged_userns_clone',
		'0',
		'user namespaces are switched off: sysctl kernel.unprivileged_userns_clone=1',
	],
	[
		'/proc/sys/user/max_user_namespaces',
		'0',
		'no user namespaces are allowed: sysctl user.max_user_namespaces=10000',
	],
] as const;

/** Why bubblewrap may have failed, and what to do; follows what it said. `settingOf`: what a file of the kernel holds. */
export const whatForbids = (
	uid: number,
	settingOf: (path: string) => string | undefined,
): string | undefined =>
	forbidding.find(
		([path, value]) =>
			settingOf(path)?.trim() === value && (uid !== 0 || path.startsWith('/proc/sys/user/')),
	)?.[2];

const settingOf = (path: string): string | undefined => {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return undefined;
	}
};

/** Whether a command runs where, after it was planned, a folder on the way to a mount was swapped for a link that leads out of the sandbox. */
async function runsThoughSwapped(
	folder: string,
	{bwrap, clock}: {readonly bwrap: string; readonly clock: Clock},
): Promise<boolean> {
	const inner = join(folder, 'read/inner');
	const secret = join(inner, 'secret');
	const out = join(folder, 'out');
	mkdirSync(secret, {recursive: true});
	mkdirSync(out);
	const planned = sandboxPlan(
		{write: [], read: [join(folder, 'read')], memoryBytes: 2 ** 20},
		systemWorld({userHome: folder, svcHome: secret, profileHome: secret, environment: {}}),
	);
	if (planned.kind === 'problem') {
		return false;
	}

	rmSync(inner, {recursive: true});
	// As bubblewrap sees this machine while it mounts.
	symlinkSync(join('/oldroot', out), inner);
	const {stdout} = await ended(
		sandboxLaunch(bwrap, {...planned.plan, cwd: '/'}, ['/bin/bash', '-c', 'echo ran']),
		clock,
	);
	return stdout.includes('ran');
}

async function ended(launch: SandboxLaunch, clock: Clock): Promise<{readonly stdout: string}> {
	const limitBytes = 1000;
	const exit = await runInGroup(
		{
			...launch,
			env: {},
			cwd: '/',
			input: '',
			stdout: {limitBytes, above: 'keep-start'},
			stderr: {limitBytes, above: 'keep-start'},
			timeoutMs: probeMs,
			termGraceMs: 0,
			signal: new AbortController().signal,
		},
		{clock},
	);
	return {stdout: exit.kind === 'exited' ? exit.stdout : ''};
}

async function versionOf(bwrap: string, clock: Clock): Promise<string> {
	const {stdout} = await ended({command: bwrap, args: ['--version'], feeds: []}, clock);
	return stdout.trim().replace(/^bubblewrap /, '') || 'unknown';
}
