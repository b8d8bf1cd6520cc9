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

/** The environment for planning on this machine. */
export const systemWorld = (
	homes: Pick<PlanWorld, 'userHome' | 'svcHome' | 'profileHome' | 'environment'>,
): PlanWorld => ({
	...homes,
	// Also works for accounts missing in /etc/passwd, as in many containers.
	uid: process.getuid?.() ?? 0,
	gid: process.getgid?.() ?? 0,
	etcOf: mounts =>
		// Other systems mount nothing: files are read in place.
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
	// Most paths are missing, and an exception costs more than a check.
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

/** The first listed path of a plan whose target has changed: another sandbox may write between planning and launching. */
export const findMoved = ({mounts}: Pick<SandboxPlan, 'mounts'>): string | undefined =>
	mounts
		// A mount under another path is not a listed path.
		.filter(mount => mount.kind === 'cover' || (isBind(mount) && mount.from === mount.path))
		.find(({path}) => orElse(() => realpathSync.native(path) !== path, true))?.path;

/** The real path of a program given by name or path; `undefined` if it does not exist. Relative folders of PATH are ignored. */
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
