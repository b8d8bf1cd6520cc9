import type {DatabaseSync} from 'node:sqlite';
import type {Run} from '../core/run.ts';
import {integerOf} from './columns.ts';
import {pageOf} from './newest-first.ts';
import {runColumns, runOf, runTables} from './run-reader.ts';

/** As the index has it. */
const isWaiting = `run.state in ('interrupted', 'uncertain', 'dead')`;

/** The runs that wait for a person, by an index of nothing else: they may be the oldest of many. */
export function createRunsToDecide(database: DatabaseSync): {
	/** Newest first. */
	list(limit: number): readonly Run[];
	/** Of a store that is closed, what was counted last: the status of a gateway that has ended is asked for, too. */
	count(): number;
} {
	const list = database.prepare(
		`select ${runColumns} from ${runTables.replace('run ', 'run indexed by run_to_decide ')} where ${isWaiting} order by run.id desc limit ?`,
	);
	const count = database.prepare(
		`select count(*) as count from run indexed by run_to_decide where ${isWaiting}`,
	);
	let last = 0;
	return {
		list: limit => list.all(pageOf(limit)).map(runOf),
		count() {
			last = database.isOpen ? integerOf(count.get()?.['count']) : last;
			return last;
		},
	};
}
