import {derive} from '../../core/derive.ts';
import type {Group} from '../../core/group.ts';

/** The groups as the pane lists them. */
export type GroupOrder = {
	/** Those that wait as they were opened: a row keeps its place while its clocks run. Then those that are done, newest first. */
	readonly all: readonly Group[];
	readonly pending: number;
	readonly done: number;
};

/** The order of `groups`, the list of the state; made once for each. */
export const groupOrder = derive((groups: readonly Group[]): GroupOrder => {
	const pending = groups
		.filter(({state}) => state === 'pending')
		.toSorted((one, other) => one.id - other.id);
	const done = groups
		.filter(({state}) => state === 'dispatched')
		.toSorted(
			(one, other) => (other.dispatchedAt ?? 0) - (one.dispatchedAt ?? 0) || other.id - one.id,
		);
	return {all: [...pending, ...done], pending: pending.length, done: done.length};
});
