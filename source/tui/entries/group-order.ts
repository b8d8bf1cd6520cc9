import type {Group} from '../../core/group.ts';

/** The groups as the pane lists them. */
export type GroupOrder = {
	/** Those that wait as they were opened: a row keeps its place while its clocks run. Then those that are done, newest first. */
	readonly all: readonly Group[];
	readonly pending: number;
	readonly done: number;
};

const orders = new WeakMap<readonly Group[], GroupOrder>();

/** The order of `groups`, the list of the state; made once for each. */
export function groupOrder(groups: readonly Group[]): GroupOrder {
	const known = orders.get(groups);
	if (known) {
		return known;
	}

	const pending = groups
		.filter(({state}) => state === 'pending')
		.toSorted((one, other) => one.id - other.id);
	const done = groups
		.filter(({state}) => state === 'dispatched')
		.toSorted(
			(one, other) => (other.dispatchedAt ?? 0) - (one.dispatchedAt ?? 0) || other.id - one.id,
		);
	const order = {all: [...pending, ...done], pending: pending.length, done: done.length};
	orders.set(groups, order);
	return order;
}
