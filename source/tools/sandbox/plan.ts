import {delimiter, join} from 'node:path';
import {nestedIn, problemOf, type Entry} from './list-problems.ts';
import {isInside} from './places.ts';
import {protectedPlaces} from './protected-places.ts';
import {systemMounts} from './system-mounts.ts';

/** A step of building the root, in order. Paths are absolute; `path` is the path inside. */
export type Mount =
	| {readonly kind: 'read' | 'write'; readonly from: string; readonly path: string}
	| {readonly kind: 'link'; readonly to: string; readonly path: string}
	/** Hides the file or folder at `path`. */
	| {readonly kind: 'cover'; readonly isFolder: boolean; readonly path: string}
	/** A folder in memory; `bytes`: its size. */
	| {readonly kind: 'memory'; readonly path: string; readonly bytes: number}
	/** A file with this text. */
	| {readonly kind: 'text'; readonly text: string; readonly path: string};

/** Whether a mount shows a part of the machine. */
export const isBind = (mount: Mount): mount is Extract<Mount, {readonly from: string}> =>
	mount.kind === 'read' || mount.kind === 'write';

/** One of svc's Unix sockets, mounted inside in an otherwise empty folder. */
export type SandboxSocket = {readonly outside: string; readonly inside: string};

/** Everything visible to a command in a sandbox. */
export type SandboxPlan = {
	readonly mounts: readonly Mount[];
	/** Protected paths, including missing ones. Used only by Seatbelt: a bubblewrap root contains only listed paths. */
	readonly secrets: readonly string[];
	/** The complete environment. */
	readonly env: Readonly<Record<string, string>>;
	readonly cwd: string;
	readonly sockets: readonly SandboxSocket[];
	/** Arguments before the command, for a forwarder that starts first. May be empty. */
	readonly prelude: readonly string[];
	/** The kernel's limit of processes and threads in the sandbox, if it supports one per namespace; absent: no limit beyond the one outside. */
	readonly maxTasks?: number | undefined;
	/** The file of a control group to which a process is written, to be in it with its children. */
	readonly groupFile?: string;
};

/** The target of a path, following links. */
export type PathTarget = {
	readonly real: string;
	readonly kind: 'folder' | 'file' | 'socket' | 'other';
};

/** The environment of planning, which is otherwise pure; `~/` is already expanded. */
export type PlanWorld = {
	readonly userHome: string;
	/** svc's data folder with all profiles. */
	readonly svcHome: string;
	/** This profile's folder, in which `work` may be listed. */
	readonly profileHome: string;
	readonly uid: number;
	readonly gid: number;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** `undefined` if the path does not exist, or is unreadable. */
	readonly find: (path: string) => PathTarget | undefined;
	/** A link's target as written; `undefined` if the path is no link. */
	readonly linkOf: (path: string) => string | undefined;
	/** A folder outside of all sandboxes with the contents of these mounts below `/etc`; `undefined`: mount each separately. */
	readonly etcOf?: (mounts: readonly Mount[]) => string | undefined;
};

export type SandboxLists = {
	/** Absent: the sandbox has no working folder, and starts in its home. */
	readonly workdir?: string;
	readonly read: readonly string[];
	readonly write: readonly string[];
	/** The total size of folders in memory, in bytes. */
	readonly memoryBytes: number;
};

/** A list entry that cannot be used. */
export type PlanProblem = {
	readonly list: 'workdir' | 'read' | 'write';
	readonly path: string;
	/** Follows the path in a sentence. */
	readonly problem: string;
};

type Planned =
	| {readonly kind: 'plan'; readonly plan: SandboxPlan}
	| {readonly kind: 'problem'; readonly problem: PlanProblem};

/**
 * Plans a sandbox of the system's folders (read-only) and the listed paths. Links in listed paths are resolved here, and their targets bound. No mount is made
 * inside a folder that any sandbox can write to, where the next call could find a link instead.
 *
 * @see manual/sandbox.md
 */
export function sandboxPlan(lists: SandboxLists, world: PlanWorld): Planned {
	const secrets = withTargets(
		protectedPlaces({
			userHome: world.userHome,
			homes: [world.svcHome, world.profileHome],
			environment: world.environment,
		}),
		world,
	);
	const entries: Entry[] = [];
	const listed = [
		...(lists.workdir === undefined ? [] : [['workdir', lists.workdir] as const]),
		...lists.write.map(path => ['write', path] as const),
		...lists.read.map(path => ['read', path] as const),
	];
	for (const [list, path] of listed) {
		const found = world.find(path);
		const problem = found ? problemOf(list, found, {secrets, world}) : 'is not there';
		if (!found || problem !== undefined) {
			return {kind: 'problem', problem: {list, path, problem: problem ?? 'is not there'}};
		}

		entries.push({list, path, ...found});
	}

	const nested = nestedIn(entries);
	if (nested) {
		return {kind: 'problem', problem: nested};
	}

	const mounts = mountsOf(entries, secrets, {lists, world});
	return {
		kind: 'plan',
		plan: {
			mounts,
			secrets,
			env: environmentOf(mounts, world),
			cwd: entries.find(({list}) => list === 'workdir')?.real ?? world.userHome,
			sockets: [],
			prelude: [],
		},
	};
}

/** The name of the checkout in the working folder. */
const checkoutName = 'checkout';

/**
 * Adds a checkout to a plan. The checkout is in `folder`, which no sandbox can write to. It is visible below the working folder, whose other files are hidden: the
 * mount point is made in memory, not in a folder where another run could place a link. Where sandboxes cannot remap paths (macOS), it is visible at its own path.
 */
export function withCheckout(
	plan: SandboxPlan,
	folder: string,
	{platform}: Pick<NodeJS.Process, 'platform'> = process,
): SandboxPlan {
	const {cwd: workdir} = plan;
	const path = platform === 'darwin' ? folder : join(workdir, checkoutName);
	const mounts = plan.mounts.flatMap((mount): readonly Mount[] =>
		mount.kind === 'write' && mount.path === workdir
			? [
					{kind: 'cover', isFolder: true, path: workdir},
					{kind: 'write', from: folder, path},
				]
			: [mount],
	);
	return {...plan, cwd: path, mounts};
}

/** Adds the targets of those paths that are links, or are reached by links. */
const withTargets = (paths: readonly string[], {find}: Pick<PlanWorld, 'find'>) => [
	...new Set(paths.flatMap(path => [path, find(path)?.real ?? path])),
];

function mountsOf(
	entries: readonly Entry[],
	secrets: readonly string[],
	{lists: {memoryBytes}, world}: {readonly lists: SandboxLists; readonly world: PlanWorld},
): readonly Mount[] {
	const {userHome, find} = world;
	const memory = (path: string, share: number): Mount => ({
		kind: 'memory',
		path,
		bytes: Math.floor(memoryBytes * share),
	});
	const reads = entries.filter(({list}) => list === 'read');
	const covers = reads.flatMap(({real}) =>
		secrets.flatMap((path): readonly Mount[] => {
			const found = path !== real && isInside(path, real) ? find(path) : undefined;
			// A link's target is covered separately.
			return found?.real === path ? [{kind: 'cover', isFolder: found.kind === 'folder', path}] : [];
		}),
	);
	const hasHome = reads.some(({real}) => isInside(userHome, real));
	const binds = entries
		// Writable entries come first, so take precedence.
		.filter(({real}, index) => entries.findIndex(other => other.real === real) === index)
		.map(({list, real}): Mount => ({
			kind: list === 'read' ? 'read' : 'write',
			from: real,
			path: real,
		}))
		.concat(covers);
	return [
		...systemMounts(world, {isOpen: binds.some(({path}) => isInside(path, '/etc'))}),
		memory('/dev/shm', 0.25),
		memory('/tmp', 0.5),
		...(hasHome ? [] : [memory(userHome, 0.25)]),
		// By depth, outer folders first; a cover is mounted at the path that it hides.
		...binds.toSorted((one, other) => one.path.split('/').length - other.path.split('/').length),
	];
}

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Takes from the gateway's environment only the language, the time zone, and the folders of PATH that are visible inside. */
function environmentOf(
	mounts: readonly Mount[],
	{environment, userHome}: PlanWorld,
): Readonly<Record<string, string>> {
	const isBelow = (kind: Mount['kind'], folder: string) =>
		mounts.some(mount => mount.kind === kind && isInside(folder, mount.path));
	const paths = (environment['PATH'] ?? '')
		.split(delimiter)
		.filter(folder => folder.startsWith('/') && isBelow('read', folder))
		.filter(folder => !isBelow('write', folder) && !isBelow('cover', folder));
	const kept = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'].flatMap(name => {
		const value = environment[name];
		return value === undefined ? [] : [[name, value] as const];
	});
	return {
		...Object.fromEntries(kept),
		HOME: userHome,
		LOGNAME: 'user',
		PATH: [...new Set([...paths, ...systemPath])].join(delimiter),
		SHELL: '/bin/bash',
		TERM: 'dumb',
		TMPDIR: '/tmp',
		USER: 'user',
	};
}
