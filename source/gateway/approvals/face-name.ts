import {userInfo} from 'node:os';
import {orElse} from '../../core/or-else.ts';

const faces: ReadonlySet<string> = new Set(['tui', 'cli']);

/** Terminals have such names; anything else that a face says of itself is not written down. */
const terminalPattern = /\b(?:pts\/|ttys?)\d{1,6}\b/;

/**
 * Who answered, as it is recorded: `cli (alice)`, `tui (alice, pts/3)`. The user is the one that this process runs as: nobody else can open the control
 * socket. Of what the face says of itself, `face`, its kind and its terminal count.
 */
export function faceName(face: string): string {
	const kind = /^[a-z]+/.exec(face)?.[0] ?? '';
	const terminal = terminalPattern.exec(face)?.[0];
	const where = terminal === undefined ? '' : `, ${terminal}`;
	return `${faces.has(kind) ? kind : 'api'} (${userName()}${where})`;
}

/** A user without an entry in the system's list has only a number. */
const userName = (): string =>
	orElse(() => userInfo().username, String(process.getuid?.() ?? 'unknown'));
