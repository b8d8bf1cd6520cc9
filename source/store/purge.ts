import {createMessageRetention} from './conversations.ts';
import {givingReserve, type Reserve} from './database-file.ts';
import type {StoreParts} from './parts.ts';
import type {Journal, Retention} from './port.ts';
import {createRetentionSteps, type RetentionStep} from './retention.ts';
import {createSessionRetention} from './sessions.ts';

const goesOn = (signal: AbortSignal | undefined): boolean => signal?.aborted !== true;

/** Applies a retention slice by slice. On a full disk it gives the reserve back, since deleting needs room, too. */
export function createPurge(parts: StoreParts, reserve: Reserve): Journal['purge'] {
	const {database, commit} = parts;
	const steps = createRetentionSteps(parts);
	const messages = createMessageRetention(parts);
	const sessions = createSessionRetention(parts);
	const checkpoint = database.prepare('pragma wal_checkpoint(truncate)');

	const apply = async (
		step: RetentionStep,
		retention: Retention,
		signal: AbortSignal | undefined,
	) => {
		let went = 0;
		for (let after: number | undefined; goesOn(signal);) {
			// oxlint-disable-next-line no-await-in-loop -- slices follow each other; other writes come between them
			const done = await commit.write(() => step(retention, after));
			went += done.went;
			after = done.last;
			if (!done.more) {
				break;
			}
		}

		return went;
	};

	const all = async (retention: Retention, signal: AbortSignal | undefined) => {
		const bodies = await apply(steps.bodies, retention, signal);
		await apply(steps.identifiers, retention, signal);
		await apply(messages, retention, signal);
		let rows = 0;
		for (const step of [steps.rejections, steps.rows, sessions, steps.jobRuns]) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			rows += await apply(step, retention, signal);
		}

		return {bodies, rows};
	};

	/** The log is written into the database, which has to grow for it. What cannot be written stays in the log, and nothing is lost. */
	const empty = () => {
		try {
			checkpoint.all();
			return true;
		} catch {
			return false;
		}
	};

	const tidy = () => {
		if (commit.idle() && !empty() && reserve.release()) {
			empty();
		}

		reserve.ensure();
	};

	return async (retention, signal) => {
		try {
			return await givingReserve(reserve, async () => all(retention, signal));
		} finally {
			if (database.isOpen) {
				tidy();
			}
		}
	};
}
