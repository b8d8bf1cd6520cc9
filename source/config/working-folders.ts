import {join, resolve} from 'node:path';
import type {HomePaths} from './config.ts';
import {type Environment, userHomeOf} from './environment.ts';
import {basePaths} from './home-paths.ts';

/** The folders that relative and `~/` paths are resolved against. */
export type Homes = {
	/** Folder of the profile. */
	readonly home: string;
	readonly userHome: string;
};

/** The folders that a profile's sandbox is built around, or keeps out of reach. */
export const sandboxPlaces = (paths: HomePaths, environment: Environment) => ({
	home: paths.home,
	/** The folder that holds all profiles. */
	svcHome: basePaths(paths)?.home ?? paths.home,
	userHome: userHomeOf(environment),
	environment,
});

/** A listed path as an absolute one; `~/` is the home of the user. */
export const absoluteFolder = (path: string, {userHome}: Pick<Homes, 'userHome'>): string =>
	resolve(path === '~' || path.startsWith('~/') ? join(userHome, path.slice(1)) : path);

/** The working folder of a toolset: `written`, or `work` in the folder of the profile. */
export const workdirOf = (written: string | undefined, homes: Homes): string =>
	written === undefined ? join(homes.home, 'work') : absoluteFolder(written, homes);

/** Whether one of two folders is inside the other. */
export const lieInEachOther = (one: string, other: string): boolean =>
	one !== other && (`${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`));
