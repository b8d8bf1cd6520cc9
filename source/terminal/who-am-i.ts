import {readlinkSync} from 'node:fs';
import {orElse} from '../core/or-else.ts';
import {escapeLine} from '../core/untrusted.ts';

/** Names the person at this terminal in the record of decisions: `tui (alice, pts/3)`, as far as known. */
export function whoAmI(environment: Readonly<Record<string, string | undefined>>): string {
	const user = environment['USER'] ?? environment['LOGNAME'] ?? environment['USERNAME'];
	const known = [user, terminalName()].filter(part => part !== undefined && part !== '');
	return known.length === 0 ? 'tui' : `tui (${escapeLine(known.join(', '), 100)})`;
}

/** `pts/3`; unknown on systems without `/proc`. */
const terminalName = (): string | undefined =>
	/^\/dev\/(.+)$/.exec(orElse(() => readlinkSync('/proc/self/fd/0'), ''))?.[1];
