import {delimiter, join} from 'node:path';
import {nestedIn, problemOf, type Entry} from './list-problems.ts';
import {isInside} from './places.ts';
import {protectedPlaces} from './protected-places.ts';
import {systemMounts} from './system-mounts.ts';

/** One step of building the root, in the order in which they are taken. Paths are absolute; `path` is where it is seen inside. */
export type Mount =
	| {readonly kind: 'read' | 'write'; readonly from: string; readonly path: string}
	| {readonly kind: 'link'; readonly to: string; readonly path: string}
	/** Hides the file or folder at `path`. */
	| {readonly kind: 'cover'; readonly isFolder: boolean; readonly path: string}
	/** `bytes`: how much fits. */
	| {readonly kind: 'memory'; readonly path: string; readonly bytes: number}
	/** A file with this text. */
	| {readonly kind: 'text'; readonly text: string; readonly path: string};

/** Whether a mount shows something of the machine. */
export const isBind = (mount: Mount): mount is Extract<Mount, {readonly from: string}> =>
	mount.kind === 'read' || mount.kind === 'write';

/** A Unix socket of ours that is seen inside, in a folder that holds nothing else. */
export type SandboxSocket = {readonly outside: string; readonly inside: string};

/** Everything that a command in a sandbox sees. */
export type SandboxPlan = {
	readonly mounts: readonly Mount[];
	/** Protected paths, including those that do not exist yet. Only Seatbelt reads them: a bubblewrap root has listed paths alone. */
	readonly secrets: readonly string[];
	/** The whole environment. */
	readonly env: Readonly<Record<string, string>>;
	readonly cwd: string;
	readonly sockets: readonly SandboxSocket[];
	/** The beginning of the argument list, to which the command is added: a forwarder that listens first. May be empty. */
	readonly prelude: readonly string[];
	/** Processes and threads that the kernel allows in it, where it counts them for each namespace; absent: as many as outside. */
	readonly maxTasks?: number | undefined;
	/** Of a control group: the file that takes the process which is to be in it, with all that it starts. */
	readonly groupFile?: string;
};

/** The target of a path, links followed. */
export type PathTarget = {
	readonly real: string;
	readonly kind: 'folder' | 'file' | 'socket' | 'other';
};

/** The world of a plan, which is pure given this; `~/` is expanded already. */
export type PlanWorld = {
	readonly userHome: string;
	/** The data folder of svc with all of its profiles. */
	readonly svcHome: string;
	/** Folder of this profile, in which `work` may be listed. */
	readonly profileHome: string;
	readonly uid: number;
	readonly gid: number;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** `undefined`: nothing is there, or it cannot be read. */
	readonly find: (path: string) => PathTarget | undefined;
	/** Where a link leads as it is written; `undefined`: it is no link. */
	readonly linkOf: (path: string) => string | undefined;
	/** A folder outside of all sandboxes with the contents of these mounts below `/etc`; `undefined`: each is to be mounted. */
	readonly etcOf?: (mounts: readonly Mount[]) => string | undefined;
};

export type SandboxLists = {
	/** Absent: the sandbox has no folder of its own, and starts in its home. */
	readonly workdir?: string;
	readonly read: readonly string[];
	readonly write: readonly string[];
	/** How much the folders in memory hold together, bytes. */
	readonly memoryBytes: number;
};

/** An entry of a list that cannot be used. */
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
 * The parts of a sandbox: the system's folders, read-only, and the listed paths, nothing else. Links in listed paths are followed here, and their targets
 * are bound. No mount is made inside of a folder that any sandbox can write, where the next call could find a link instead.
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

/** The name of a checkout in the working folder. */
const checkoutName = 'checkout';

/**
 * The plan with a checkout, which lies in `folder`, where no sandbox can write. It is seen below the working folder, whose other files are hidden: its place is made in memory, and not in a folder in which another run
 * could put a link. Where a sandbox shows nothing at another place (macOS), it is seen at its own.
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

/** Also where those among them that are links, or are reached by some, lead. */
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
			// Where it leads to is covered by itself.
			return found?.real === path ? [{kind: 'cover', isFolder: found.kind === 'folder', path}] : [];
		}),
	);
	const hasHome = reads.some(({real}) => isInside(userHome, real));
	const binds = entries
		// Writable entries come first, and count.
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
		// Outer folders come first; a cover lies on the path that it hides.
		...binds.toSorted((one, other) => one.path.split('/').length - other.path.split('/').length),
	];
}

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Of the gateway's environment the language, the time zone, and the folders of PATH that are seen inside; nothing else. */
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
