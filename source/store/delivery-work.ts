import type {DatabaseSync} from 'node:sqlite';
import type {Delivery} from '../core/delivery.ts';
import type {RunState} from '../core/run.ts';
import {wordOf} from './columns.ts';
import {rowIdOf} from './delivery-rows.ts';

/**
 * Adds to a delivery where its work stands: the state of its run, or that a later event of its group took its place. One look by a key for each: for the rows of an answer, not for those that are
 * searched.
 */
export function createWorkReader(database: DatabaseSync): (delivery: Delivery) => Delivery {
	const runState = database.prepare('select state from run where id = ?');
	const latestOf = database.prepare('select latest from coalesce_group where id = ?');
	return delivery => {
		const {id, runId, group} = delivery;
		if (runId !== undefined) {
			const row = runState.get(runId);
			return row ? {...delivery, work: wordOf<RunState>(row['state'])} : delivery;
		}

		const row = group === undefined ? undefined : latestOf.get(group);
		return row && row['latest'] !== rowIdOf(id) ? {...delivery, work: 'superseded'} : delivery;
	};
}
