import {codeOf} from '../../core/errors.ts';

const readOnly = '25006';
const writes: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE']);

/**
 * Whether a database can be used, by the outcomes of statements. Calls `onFailing` when that changes. A read-only database still answers reads: only a write shows that it takes writes
 * again.
 */
export function createDatabaseHealth(onFailing: (reason: string | undefined) => void) {
	let failing: string | undefined;
	let takesNoWrites = false;
	const tell = (reason: string | undefined) => {
		const changed = failing !== reason;
		failing = reason;
		if (changed) {
			onFailing(reason);
		}
	};

	return {
		/** Why not, as the last failure said; `undefined` while it can be. */
		failing: () => failing,
		/** A statement has failed for the sake of the database; `reason` is for a person. */
		fail(error: unknown, reason: string) {
			takesNoWrites ||= codeOf(error) === readOnly;
			tell(reason);
		},
		/** Statements have succeeded, of these commands: `SELECT`, `UPDATE`, … */
		succeed(commands: readonly string[]) {
			takesNoWrites &&= !commands.some(command => writes.has(command));
			if (!takesNoWrites) {
				tell(undefined);
			}
		},
	};
}
