import {systemClock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {Row} from '../columns.ts';

/** Duration of one step, milliseconds; a read transaction is never open for longer than a stretch. */
export const stepMs = 60;

/** A query answered in stretches of rows, by either engine: `take` receives the rows of `sql` with `bindings()` until it returns the answer. */
export type UnderWay<Answer, Paused = undefined> = {
	/** With a question mark for each binding. */
	readonly sql: string;
	bindings(): readonly number[];
	take(rows: Iterable<Row>): Answer | undefined;
	/** The result of a step that ran out of time; `undefined` when there is none and the next step goes on. */
	pause(): Paused;
};

/** Runs one step: reads stretches until there is an answer, or the time is over. */
export async function stepOf<Answer, Paused>(
	ask: (sql: string, bindings: readonly number[]) => Promise<Iterable<Row>>,
	underWay: UnderWay<Answer, Paused>,
): Promise<Answer | Paused> {
	const endsAt = systemClock.monotonic() + stepMs;
	do {
		// oxlint-disable-next-line no-await-in-loop -- each begins where the one before ended
		const done = underWay.take(await ask(underWay.sql, underWay.bindings()));
		if (done !== undefined) {
			return done;
		}
	} while (systemClock.monotonic() < endsAt);

	return underWay.pause();
}

export const historyUnreadable = (reason: string): SvcError =>
	new SvcError('history_unreadable', `Cannot search the history: ${reason}`);

export const historyBusy = (waiting: number): SvcError =>
	new SvcError(
		'history_busy',
		`Cannot search the history: ${waiting} searches wait already; try again in a moment`,
	);
