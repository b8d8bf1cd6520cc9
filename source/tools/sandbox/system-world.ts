import {
	accessSync,
	constants,
	existsSync,
	lstatSync,
	readlinkSync,
	realpathSync,
	statSync,
} from 'node:fs';
import {delimiter, join} from 'node:path';
import type {PlanWorld, SandboxPlan} from './plan.ts';
import {etcFolder} from './system-etc.ts';

/** What plans are made from, as this machine has it. */
export function systemWorld(
	homes: Pick<PlanWorld, 'userHome' | 'svcHome' | 'profileHome' | 'environment'>,
): PlanWorld {
	return {
		...homes,
		// Whoever is not in /etc/passwd, as in many containers, has a number all the same.
		uid: process.getuid?.() ?? 0,
		gid: process.getgid?.() ?? 0,
		etcOf: mounts =>
			// Elsewhere nothing is mounted: files are read at their place.
			process.platform === 'linux' && existsSync(homes.svcHome)
				? etcFolder(mounts, join(homes.svcHome, 'cache', 'sandbox'))
				: undefined,
		find(path) {
			try {
				// Most of them are not there, and an exception takes longer than a look.
				const stats = statSync(path, {throwIfNoEntry: false});
				if (!stats) {
					return undefined;
				}

				const real = realpathSync.native(path);
				return {
					real,
					kind: stats.isDirectory()
						? 'folder'
						: stats.isFile()
							? 'file'
							: stats.isSocket()
								? 'socket'
								: 'other',
				};
			} catch {
				return undefined;
			}
		},
		linkOf(path) {
			try {
				return lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink()
					? readlinkSync(path)
					: undefined;
			} catch {
				return undefined;
			}
		},
	};
}

/** The first listed path of a plan that leads elsewhere by now. Some time passes between a plan and its sandbox, in which another sandbox may write. */
export function findMoved({mounts}: Pick<SandboxPlan, 'mounts'>): string | undefined {
	return mounts
		.flatMap(mount =>
			// What is seen under another name is no listed path.
			mount.kind === 'cover' ||
			((mount.kind === 'read' || mount.kind === 'write') && mount.from === mount.path)
				? [mount.path]
				: [],
		)
		.find(path => {
			try {
				return realpathSync.native(path) !== path;
			} catch {
				return true;
			}
		});
}

/** The file that a program's name or path leads to in the end; `undefined`: it is not there. Folders that depend on where svc was started do not count. */
export function findProgram(program: string, path: string): string | undefined {
	const folders = program.includes('/') ? [''] : path.split(delimiter);
	for (const folder of folders.filter(one => one.startsWith('/') || program.startsWith('/'))) {
		try {
			const real = realpathSync(join(folder, program));
			accessSync(real, constants.X_OK);
			if (statSync(real).isFile()) {
				return real;
			}
		} catch {
			// The next folder.
		}
	}

	return undefined;
}
