import {readFileSync, statSync} from 'node:fs';
import {systemClock} from '../../core/clock.ts';
import {orElse} from '../../core/or-else.ts';
import {runInGroup} from '../../core/process-group.ts';
import {
	removeScratch,
	type SandboxKind,
	type SandboxLaunch,
	sandboxLaunch,
} from './run-in-sandbox.ts';
import {findProgram} from './system-world.ts';

/** Time limit of a trial. */
export const probeMs = 10_000;

export const bubblewrap: SandboxKind = {
	name: 'bubblewrap',
	find(path) {
		const program = findProgram('bwrap', path);
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
	async version(program) {
		const output = await capture({command: program, args: ['--version'], feeds: []});
		return output.trim().replace(/^bubblewrap /, '') || 'unknown';
	},
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

/** Kernel settings that forbid sandboxes to users other than root, with remedies. */
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

const settingOfKernel = (path: string): string | undefined =>
	orElse(() => readFileSync(path, 'utf8'), undefined);

/** Why bubblewrap may have failed, with the remedy; follows its message. `settingOf`: reads a kernel file. */
export const whatForbids = (
	uid: number,
	settingOf: (path: string) => string | undefined = settingOfKernel,
): string | undefined =>
	forbidding.find(
		([path, value]) =>
			settingOf(path)?.trim() === value && (uid !== 0 || path.startsWith('/proc/sys/user/')),
	)?.[2];

/** The output of a program started like a sandbox; empty on failure. Never rejects. */
export async function capture(launch: SandboxLaunch): Promise<string> {
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
		{clock: systemClock},
	);
	await removeScratch(launch);
	return exit.kind === 'exited' ? exit.stdout : '';
}
