import {statSync} from 'node:fs';
import {orElse} from '../core/or-else.ts';
import type {HomePaths} from './config.ts';

/** Bits of a mode that let others write, and those that let them read or write. */
const writeByOthers = 0o022;
const useByOthers = 0o066;

/** A file or folder that others can use though they must not, and the mode that it should have. */
type Loose = {readonly path: string; readonly mode: '600' | '700'};

/**
 * What of a home other users of this machine could change or read though they must not: one sentence each, with the command that mends it.
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

/** Folders that others could write, and files that they could read or write. */
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

/** A missing file is open to no user. */
const isOpen = (path: string, bits: number): boolean =>
	orElse(() => (statSync(path).mode & bits) !== 0, false);
