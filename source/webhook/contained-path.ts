import {realpathSync} from 'node:fs';
import {isAbsolute, relative, resolve, sep} from 'node:path';

/**
 * The real path of `path` (relative ones start at `folder`) when it exists and lies inside the real `folder`, links followed;
 * else `undefined`.
 */
export function containedPath(folder: string, path: string): string | undefined {
	try {
		const root = realpathSync(folder);
		const real = realpathSync(resolve(root, path));
		return isInside(root, real) ? real : undefined;
	} catch {
		// Missing, unreadable, a loop of links, a NUL: there is no such file for us.
		return undefined;
	}
}

/** Whether `path` lies below `root`, both real paths. */
export function isInside(root: string, path: string): boolean {
	const way = relative(root, path);
	return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
