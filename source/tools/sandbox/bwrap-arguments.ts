import {readFileSync} from 'node:fs';
import {release} from 'node:os';
import {wordsOf} from '../../core/names.ts';
import {orElse} from '../../core/or-else.ts';
import {isInside} from './places.ts';
import {isBind, type Mount, type SandboxPlan} from './plan.ts';

/** An argument list for bubblewrap, and its input at the descriptors 3, 4, … */
type BwrapArguments = {readonly args: readonly string[]; readonly feeds: readonly Buffer[]};

/** The first descriptor after standard input, output and error. */
const firstFeed = 3;

/** From Linux 6.14 `pid_max` is per PID namespace; before, it is global. @see sysctl kernel.pid_max */
const countsTasks = isLinuxAtLeast([6, 14]);

/** The smallest `pid_max` that the kernel accepts: 301, or 8 per possible processor. */
const fewestTasks = Math.max(301, 8 * possibleProcessors());

/** After wrapping around, the kernel assigns no process number below this. */
const reserved = 300;

/** The `pid_max` that allows this many tasks. */
export const highestNumber = (tasks: number): number => Math.max(tasks + reserved, fewestTasks);

function possibleProcessors(): number {
	// If unreadable, assume the most that a kernel supports.
	const text = orElse(() => readFileSync('/sys/devices/system/cpu/possible', 'utf8'), '0-8191');
	return Number(/(\d+)\s*$/.exec(text)?.[1] ?? 0) + 1;
}

/** Whether the kernel is this version or later. */
export function isLinuxAtLeast([major, minor]: readonly [number, number]): boolean {
	const [, ofMajor = 0, ofMinor = 0] = (/^(\d+)\.(\d+)/.exec(release()) ?? []).map(Number);
	return ofMajor > major || (ofMajor === major && ofMinor >= minor);
}

/**
 * The complete argument list for a plan and its command. All namespaces are new, no capability is kept, and the root, `/proc` and `/dev` are read-only: otherwise
 * root could change settings in `/proc/sys` that belong to no namespace. `seccomp`: the filter for this processor; absent: bubblewrap itself forbids namespaces.
 */
export function bwrapArguments(
	{mounts, env, cwd, sockets, prelude, maxTasks}: SandboxPlan,
	command: readonly string[],
	{seccomp}: {readonly seccomp: Buffer | undefined},
): BwrapArguments {
	const feeds: Buffer[] = [];
	const feed = (content: Buffer | string): string => {
		feeds.push(Buffer.from(content));
		return String(firstFeed + feeds.length - 1);
	};

	const stepsOf = (mount: Mount): readonly string[] => {
		switch (mount.kind) {
			case 'read':
				return ['--ro-bind', mount.from, mount.path];

			case 'write':
				return ['--bind', mount.from, mount.path];

			case 'link':
				return ['--symlink', mount.to, mount.path];

			case 'cover':
				return mount.isFolder
					? ['--perms', '0755', '--size', '65536', '--tmpfs', mount.path]
					: ['--ro-bind', '/dev/null', mount.path];

			case 'memory':
				return [
					'--perms',
					mount.path === '/tmp' || mount.path === '/dev/shm' ? '1777' : '0700',
					'--size',
					String(mount.bytes),
					'--tmpfs',
					mount.path,
				];

			case 'text':
				return ['--perms', '0444', '--file', feed(mount.text), mount.path];
		}
	};

	return {
		args: [
			...wordsOf(`
				--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try
				--new-session --die-with-parent --cap-drop ALL --hostname sandbox
			`),
			...(seccomp ? ['--seccomp', feed(seccomp)] : ['--disable-userns']),
			...wordsOf('--proc /proc'),
			...(maxTasks !== undefined && countsTasks
				? ['--file', feed(String(highestNumber(maxTasks))), '/proc/sys/kernel/pid_max']
				: []),
			...wordsOf('--dev /dev'),
			...mounts.flatMap(stepsOf),
			// Read-only protects the sockets themselves, and still allows connections.
			...sockets.flatMap(({outside, inside}) => ['--ro-bind', outside, inside]),
			// Last, when all mount points exist.
			...mounts.flatMap(mount =>
				mount.kind === 'cover' && mount.isFolder ? ['--remount-ro', mount.path] : [],
			),
			...wordsOf('--remount-ro /proc --remount-ro /dev --remount-ro / --clearenv'),
			...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
			'--chdir',
			cwd,
			'--',
			...lookAtMounts(mounts),
			...prelude,
			...command,
		],
		feeds,
	};
}

/**
 * Ends the sandbox before its command if a mount is not at its place. Bubblewrap up to 0.11 follows links on the way there (CVE-2026-87766): if a folder is
 * swapped for a link while mounts are made, a secret could stay uncovered. Mount points outside of other mounts have no path that could be swapped.
 */
function lookAtMounts(mounts: readonly Mount[]): readonly string[] {
	const places = mounts
		.filter(mount => isBind(mount) || mount.kind === 'cover')
		.map(({path}) => path)
		.filter(path =>
			mounts.some(one => isBind(one) && one.path !== path && isInside(path, one.path)),
		)
		.map(path => path.replaceAll(/[\t\n \\]/g, octal));
	return places.length === 0
		? []
		: ['/bin/bash', '--norc', '-c', lookScript, String(places.length), ...places];
}

/** Escapes a character as the kernel does in mount lists. */
const octal = (character: string): string =>
	`\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;

const lookScript = `seen=' '
while read -r _ _ _ _ place _; do seen+="$place "; done < /proc/self/mountinfo
for ((left = $0; left > 0; left -= 1)); do
	[[ $seen == *" $1 "* ]] || { printf 'bwrap: "%s" was swapped for something else while the sandbox was built\\n' "$1" >&2; exit 1; }
	shift
done
exec "$@"`;
