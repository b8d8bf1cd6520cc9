import {systemClock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {Row} from '../columns.ts';

/** How long one step works, milliseconds; a read transaction is never open for longer than a stretch. */
export const stepMs = 60;

/** An answer that is made of stretches of rows, whichever engine has them: `take` gets the rows of `sql`, which were asked for with `bindings()`, until it gives the answer. */
export type UnderWay<Answer, Paused = undefined> = {
	/** With a question mark for each binding. */
	readonly sql: string;
	bindings(): readonly number[];
	take(rows: Iterable<Row>): Answer | undefined;
	/** What a step answers whose time is over; `undefined`: nothing, the next one goes on with this. */
	pause(): Paused;
};

/** One step: stretch by stretch until there is an answer, or the time is over. */
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
