import {statSync} from 'node:fs';

/** Which file is at a path, whatever it is called: `none` when there is no file, `undefined` when nobody can tell. */
export function identityOf(file: string): string | undefined {
	try {
		const found = statSync(file, {bigint: true, throwIfNoEntry: false});
		return found ? `${found.dev} ${found.ino}` : 'none';
	} catch {
		return undefined;
	}
}
