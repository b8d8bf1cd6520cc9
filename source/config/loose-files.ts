import {statSync} from 'node:fs';
import {orElse} from '../core/or-else.ts';
import type {HomePaths} from './config.ts';

/** Mode bits that let others write, and those that let others read or write. */
const writeByOthers = 0o022;
const useByOthers = 0o066;

/** A file or folder with too wide permissions, and the mode it should have. */
type Loose = {readonly path: string; readonly mode: '600' | '700'};

/**
 * Files and folders of a home with too wide permissions for other users: one sentence each, with the command that repairs it.
 *
 * @see manual/files.md
 */
export function looseFiles(given: HomePaths): readonly string[] {
	const {home, scripts, run, config, env, subscriptions, markKey} = given;
	return loosePaths({
		folders: [home, scripts, run],
		files: [config, env, subscriptions, markKey],
	}).map(({path, mode}) => `Other users can get at "${path}": chmod ${mode} "${path}"`);
}

/** Folders that others may write, and files that others may read or write. */
export const loosePaths = ({
	folders,
	files,
}: {
	readonly folders: readonly string[];
	readonly files: readonly string[];
}): readonly Loose[] => [
	...folders
		.filter(path => isOpen(path, writeByOthers))
		.map(path => ({path, mode: '700' as const})),
	...files.filter(path => isOpen(path, useByOthers)).map(path => ({path, mode: '600' as const})),
];

/** Whether others have one of these permissions; false for a missing file. */
const isOpen = (path: string, bits: number): boolean =>
	orElse(() => (statSync(path).mode & bits) !== 0, false);
