import type {Run} from '../../core/run.ts';

/** The run with this id, as far as it is in the list; the newest are looked at first. */
export const runOf = (runs: readonly Run[], id: number | undefined): Run | undefined =>
	id === undefined ? undefined : runs.findLast(run => run.id === id);
