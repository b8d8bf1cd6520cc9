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
import {orElse} from '../../core/or-else.ts';
import {type PathTarget, isBind, type PlanWorld, type SandboxPlan} from './plan.ts';
import {etcFolder} from './system-etc.ts';

/** The world of plans on this machine. */
export const systemWorld = (
	homes: Pick<PlanWorld, 'userHome' | 'svcHome' | 'profileHome' | 'environment'>,
): PlanWorld => ({
	...homes,
	// Also of an account that is not in /etc/passwd, as in many containers.
	uid: process.getuid?.() ?? 0,
	gid: process.getgid?.() ?? 0,
	etcOf: mounts =>
		// Elsewhere nothing is mounted: files are read at their place.
		process.platform === 'linux' && existsSync(homes.svcHome)
			? etcFolder(mounts, join(homes.svcHome, 'cache', 'sandbox'))
			: undefined,
	find: path => orElse(() => foundAt(path), undefined),
	linkOf: path =>
		orElse(
			() =>
				lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink() ? readlinkSync(path) : undefined,
			undefined,
		),
});

function foundAt(path: string): PathTarget | undefined {
	// Most of them are not there, and an exception takes longer than a look.
	const stats = statSync(path, {throwIfNoEntry: false});
	return (
		stats && {
			real: realpathSync.native(path),
			kind: stats.isDirectory()
				? 'folder'
				: stats.isFile()
					? 'file'
					: stats.isSocket()
						? 'socket'
						: 'other',
		}
	);
}

/** The first listed path of a plan that leads elsewhere by now: another sandbox may write between a plan and its sandbox. */
export const findMoved = ({mounts}: Pick<SandboxPlan, 'mounts'>): string | undefined =>
	mounts
		// A mount that is seen under another name is no listed path.
		.filter(mount => mount.kind === 'cover' || (isBind(mount) && mount.from === mount.path))
		.find(({path}) => orElse(() => realpathSync.native(path) !== path, true))?.path;

/** The real path of a program that is given by its name or path; `undefined`: it is not there. Relative folders of PATH do not count. */
export function findProgram(program: string, path: string): string | undefined {
	const folders = program.includes('/') ? [''] : path.split(delimiter);
	return folders
		.values()
		.filter(folder => folder.startsWith('/') || program.startsWith('/'))
		.map(folder => orElse(() => executableAt(join(folder, program)), undefined))
		.find(real => real !== undefined);
}

function executableAt(path: string): string | undefined {
	const real = realpathSync(path);
	accessSync(real, constants.X_OK);
	return statSync(real).isFile() ? real : undefined;
}
