import type {StoreParts} from './parts.ts';
import type {TimedRun} from './timed-runs.ts';

/** Clocks that are slewed differ by less, and no order suffers from it, milliseconds. */
const toleratedMs = 1000;

/** Which waiting runs have a time, on disk and in memory. All of it belongs inside a transaction. */
export type DueTimes = {
	/**
	 * Brings the times on disk in line when the wall clock was set: what has a time keeps what was left of its wait, and what is due goes before it. So the journal shows when a
	 * run really starts, also to the next process. Before times on disk are compared, or new ones written.
	 */
	keepUp(): void;
	/** The run waits for its time, if that lies ahead. */
	add(
		run: Pick<TimedRun, 'id' | 'profile' | 'route'>,
		wait: Pick<TimedRun, 'isPromised' | 'isRetry' | 'awaitsLogins'> & {readonly waitMs: number},
	): void;
	/** It was leased, has ended, or need not wait any more. */
	remove(runId: number): void;
	/** Whether it waits for a time that lies ahead. */
	isAhead(runId: number): boolean;
};

export function createDueTimes({
	database,
	timed,
	clock,
}: Pick<StoreParts, 'clock' | 'database' | 'timed'>): DueTimes {
	const pull = database.prepare('update run set due_at = ?1 where due_at > ?1');
	const move = database.prepare(
		'update run set due_at = ?, created_at = created_at + ? where id = ?',
	);

	return {
		keepUp() {
			const offset = clock.now() - clock.monotonic();
			const byMs = Math.round(offset - timed.offset);
			if (Math.abs(byMs) < toleratedMs) {
				return;
			}

			timed.offset = offset;
			pull.run(clock.now());
			for (const {id, at, isPromised} of timed.all()) {
				// A promise shows by a time later than that of its event.
				move.run(Math.ceil(at + offset), isPromised ? byMs : 0, id);
			}
		},
		add({id, profile, route}, {waitMs, ...kind}) {
			if (waitMs > 0) {
				timed.put({id, profile, route, at: clock.monotonic() + waitMs, ...kind});
			}
		},
		remove(runId) {
			timed.remove(runId);
		},
		isAhead: runId => timed.waitMs(runId) > 0,
	};
}
