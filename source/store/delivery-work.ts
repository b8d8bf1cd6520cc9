import type {DatabaseSync} from 'node:sqlite';
import type {Delivery} from '../core/delivery.ts';
import type {RunState} from '../core/run.ts';
import {integerOf, nullableInteger, nullableText, type Row, wordOf} from './columns.ts';
import {rowIdOf} from './delivery-rows.ts';

/**
 * Adds to a delivery where its work stands: the state of its run, or that a later event of its group took its place. One look by a key for each: for the rows of an answer, not for those that are
 * searched.
 */
export function createWorkReader(database: DatabaseSync): (delivery: Delivery) => Delivery {
	const runState = database.prepare('select state from run where id = ?');
	const latestOf = database.prepare('select latest from coalesce_group where id = ?');
	return delivery => {
		const {runId, group} = delivery;
		const state = runId === undefined ? undefined : runState.get(runId)?.['state'];
		const latest =
			runId !== undefined || group === undefined ? undefined : latestOf.get(group)?.['latest'];
		return workOfRow(delivery, {work_state: state ?? null, latest: latest ?? null});
	};
}

/** The same where a row has both: `work_state` of the run, if there is one, and `latest` of the group. */
export function workOfRow(delivery: Delivery, row: Row): Delivery {
	const latest = nullableInteger(row['latest']);
	if (delivery.runId !== undefined) {
		return nullableText(row['work_state']) === null
			? delivery
			: {...delivery, work: wordOf<RunState>(row['work_state'])};
	}

	return latest !== null && integerOf(latest) !== rowIdOf(delivery.id)
		? {...delivery, work: 'superseded'}
		: delivery;
}
