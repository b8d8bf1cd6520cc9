import {createMessageRetention} from './conversations.ts';
import {givingReserve, type Reserve} from './database-file.ts';
import type {StoreParts} from './parts.ts';
import type {Journal} from './port.ts';
import {applyRetention, createRetentionSteps, type RetentionStep} from './retention.ts';
import {createSessionRetention} from './sessions.ts';

/** Applies a retention slice by slice. On a full disk it frees the reserve, since deleting needs space, too. */
export function createPurge(parts: StoreParts, reserve: Reserve): Journal['purge'] {
	const {database, commit} = parts;
	const {bodies, identifiers, rejections, oldRows, oldJobRuns} = createRetentionSteps(parts);
	const steps = {
		bodies,
		forgotten: [identifiers, createMessageRetention(parts)],
		rows: [rejections, oldRows, createSessionRetention(parts), oldJobRuns],
	};
	const checkpoint = database.prepare('pragma wal_checkpoint(truncate)');

	/** Checkpoints the log into the database, which has to grow for it. What cannot be written stays in the log, and nothing is lost. */
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
			return await givingReserve(reserve, async () =>
				applyRetention<RetentionStep>(
					steps,
					async (step, after) => commit.write(() => step(retention, after)),
					signal,
				),
			);
		} finally {
			if (database.isOpen) {
				tidy();
			}
		}
	};
}
