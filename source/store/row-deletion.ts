import type {DatabaseSync} from 'node:sqlite';
import {integerOf, type Row} from './columns.ts';
import type {Counters} from './counters.ts';
import {transcriptEnd, transcriptStart} from './transcripts.ts';

/** Columns that say what goes with a delivery, beside `delivery.id`; the tables are joined by `deliveryTables`. What a group became goes with its latest. */
export const belongings = `octet_length(body) as bytes, case when coalesce_group.latest = delivery.id then coalesce_group.id end as own_group,
	case when delivery.run > 0 then delivery.run when coalesce_group.latest = delivery.id then coalesce_group.run end as own_run`;

/** Deletes rows and what belongs to them, inside a transaction. */
export type RowDeletion = {
	/** A row of `id` and `belongings`. */
	delivery(row: Row): void;
	/** A run with its transcript and its answer. */
	run(runId: number): void;
};

export function createRowDeletion(database: DatabaseSync, counters: Counters): RowDeletion {
	const dropDelivery = database.prepare('delete from delivery where id = ?');
	const dropGroup = database.prepare('delete from coalesce_group where id = ?');
	const dropRun = database.prepare('delete from run where id = ?');
	const dropAnswer = database.prepare('delete from answer where run = ?');
	const dropJobRun = database.prepare('delete from job_run where run = ?');
	const dropTranscript = database.prepare('delete from transcript where id >= ? and id < ?');

	const run = (runId: number) => {
		dropTranscript.run(transcriptStart(runId), transcriptEnd(runId));
		dropAnswer.run(runId);
		dropJobRun.run(runId);
		counters.runs -= Number(dropRun.run(runId).changes);
	};

	return {
		run,
		delivery(row) {
			if (integerOf(row['own_run']) > 0) {
				run(integerOf(row['own_run']));
			}

			if (integerOf(row['own_group']) > 0) {
				dropGroup.run(integerOf(row['own_group']));
			}

			counters.deliveries -= Number(dropDelivery.run(integerOf(row['id'])).changes);
			counters.bodyBytes -= integerOf(row['bytes']);
		},
	};
}
