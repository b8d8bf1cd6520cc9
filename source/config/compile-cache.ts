import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';

/**
 * Where Node keeps compiled code of this program: in the home of the user (not in the shared temporary folder, where somebody else could put code), once
 * that home exists. `undefined`: do without. Kept apart from the other paths so that nothing else is loaded before the cache is on.
 */
export function compileCacheFolder(): string | undefined {
	const home = process.env['SVC_HOME'] || join(process.env['HOME'] || homedir(), '.svc');
	const cache = join(home, 'cache');
	return existsSync(cache) ? join(cache, 'compiled') : undefined;
}
