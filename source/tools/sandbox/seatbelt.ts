import {randomBytes, randomInt} from 'node:crypto';
import {existsSync, realpathSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {asWord} from '../../core/shell-words.ts';
import {insideFolder, insidePorts} from './egress.ts';
import {isInside} from './places.ts';
import type {Mount, SandboxPlan} from './plan.ts';
import {bashCommand, type SandboxKind, type SandboxLaunch} from './run-in-sandbox.ts';
import {type SeatbeltScratch, seatbeltProfile} from './seatbelt-profile.ts';

/** Never searched on PATH, because it is a part of the system. */
const program = '/usr/bin/sandbox-exec';

/**
 * macOS's Seatbelt, written from the documentation of its profile language, never run by us. The root is the machine's; a profile permits the paths listed in a
 * plan. Limits are not enforced, because there is no `/proc`.
 *
 * @see manual/sandbox.md#macos
 */
export const seatbelt: SandboxKind = {
	name: 'sandbox-exec',
	find: () => (existsSync(program) ? {program} : {reason: `${program} is not there`}),
	launch(_program, plan, command) {
		const proxy = randomInt(20_000, 48_000);
		return launchIn(plan, command, {
			folder: join(realpathSync(tmpdir()), `svc-in-${randomBytes(8).toString('hex')}`),
			ports: {proxy, forge: proxy + 1},
		});
	},
	version: async () => 'of macOS',
	trial: {
		source: `
if read -r line < "$1/secret"; then printf 'secret yes '; else printf 'secret no '; fi 2>/dev/null
if kill -0 "$2"; then printf 'signal yes '; else printf 'signal no '; fi 2>/dev/null
if exec 3<>/dev/udp/127.0.0.1/9; then printf 'net yes '; else printf 'net no '; fi 2>/dev/null
printf 'env %s' "$(printf %s "$SVC_PROBE" | wc -c | tr -d ' ')"
: > "$0/outside"; : > "$0/work/inside"
`,
		expected: 'secret no signal no net no env 0',
	},
};

/** Starts `command` through a shell outside, which creates the scratch folder with the plan's files of `/run/svc`. Pure. */
export function launchIn(
	plan: SandboxPlan,
	command: readonly string[],
	scratch: SeatbeltScratch,
): SandboxLaunch {
	const {folder, ports} = scratch;
	const home = join(folder, 'home');
	const hasHome = plan.mounts.some(
		({kind, path}) => kind === 'memory' && path === plan.env['HOME'],
	);
	/** Translates paths and ports inside to those of this machine. */
	const here = (text: string): string =>
		(['proxy', 'forge'] as const).reduce(
			(changed, name) =>
				changed
					.replaceAll(`127.0.0.1:${insidePorts[name]}`, `127.0.0.1:${ports[name]}`)
					// An argument of the forwarder.
					.replace(new RegExp(`^${insidePorts[name]}(?==)`), `${ports[name]}`),
			text.replaceAll(insideFolder, () => join(folder, 'run')),
		);
	const laid: ReadonlyArray<readonly [path: string, step: string]> = [
		...plan.mounts
			.filter(({path}) => isInside(path, insideFolder))
			.map(mount => [here(mount.path), stepOf(mount, here)] as const),
		...plan.sockets.map(
			({outside, inside}) =>
				[here(inside), `ln -s ${asWord(outside)} ${asWord(here(inside))}`] as const,
		),
	];
	const folders = new Set([home, join(folder, 'tmp'), ...laid.map(([path]) => dirname(path))]);
	const env = {
		...plan.env,
		...(hasHome && {HOME: home}),
		TMPDIR: join(folder, 'tmp'),
	};
	const cwd = hasHome && plan.cwd === plan.env['HOME'] ? home : plan.cwd;
	const script = [
		'umask 077',
		// Fails if the name is taken.
		`mkdir ${asWord(folder)} || exit 126`,
		`mkdir -p ${[...folders].map(asWord).join(' ')}`,
		...laid.map(([, step]) => step),
		// Closes descriptors that this process inherited.
		'for f in /dev/fd/*; do case ${f##*/} in [012]) ;; *) eval "exec ${f##*/}>&-" ;; esac; done 2>/dev/null',
		`cd ${asWord(cwd)}`,
		'exec "$@"',
	].join('\n');
	return {
		command: '/bin/bash',
		args: [
			...bashCommand,
			script,
			'svc',
			program,
			'-p',
			seatbeltProfile(plan, scratch),
			'/usr/bin/env',
			'-i',
			...Object.entries(env).map(([name, value]) => `${name}=${here(value)}`),
			...[...plan.prelude, ...command].map(here),
		],
		feeds: [],
		scratch: folder,
	};
}

/** The shell command that creates a mount in the sandbox's folder. */
function stepOf(mount: Mount, here: (text: string) => string): string {
	const target = asWord(here(mount.path));
	switch (mount.kind) {
		case 'text':
			return `printf %s ${asWord(here(mount.text))} > ${target}`;

		case 'link':
			return `ln -s ${asWord(mount.to)} ${target}`;

		case 'read':
		case 'write':
			return `ln -s ${asWord(mount.from)} ${target}`;

		case 'cover':
		case 'memory':
			return `mkdir ${target}`;
	}
}
