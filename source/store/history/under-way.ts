import type {StatementSync} from 'node:sqlite';
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

/** One step on SQLite. */
export function stepOn<Answer, Paused>(
	prepare: (sql: string) => StatementSync,
	underWay: UnderWay<Answer, Paused>,
): Answer | Paused {
	const endsAt = systemClock.monotonic() + stepMs;
	do {
		const done = underWay.take(prepare(underWay.sql).iterate(...underWay.bindings()));
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
