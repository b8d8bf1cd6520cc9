import {codeOf} from '../../core/errors.ts';

const readOnly = '25006';
const writes: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE']);

/**
 * Tracks whether a database is usable by the outcomes of statements, and calls `onFailing` when that changes. A read-only database still answers reads, so only a
 * successful write shows that it accepts writes again.
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
		/** The reason of the last failure; `undefined` while the database is usable. */
		failing: () => failing,
		/** Call when a statement failed because of the database; `reason` is for a person. */
		fail(error: unknown, reason: string) {
			takesNoWrites ||= codeOf(error) === readOnly;
			tell(reason);
		},
		/** Call when statements with these commands (`SELECT`, `UPDATE`, …) succeeded. */
		succeed(commands: readonly string[]) {
			takesNoWrites &&= !commands.some(command => writes.has(command));
			if (!takesNoWrites) {
				tell(undefined);
			}
		},
	};
}
