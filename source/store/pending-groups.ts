import {dueOf, type Group} from '../core/group.ts';
import {createCountsByRoute} from './counters.ts';
import {createDueQueue} from './due-queue.ts';
import type {RouteKey} from './port.ts';
import {createUndo} from './transaction.ts';

/** Identifies the events that are grouped. `key` as rendered, not cleaned. */
export type GroupKey = Pick<Group, 'profile' | 'route' | 'key'>;

/** A pending group as stored on disk. */
export type WaitingGroup = GroupKey &
	Pick<Group, 'id' | 'firstAt' | 'lastAt' | 'quietAt' | 'capAt' | 'count' | 'event'> & {
		/** The row of its latest delivery. */
		readonly latest: number;
		/** The kind of its run's target. */
		readonly target: string;
	};

/** A pending group in memory. Its times are on its own steady clock, which `offset` defines. */
export type PendingGroup = WaitingGroup & {readonly offset: number};

export type PendingGroups = ReturnType<typeof createPendingGroups>;

/** The pending groups in memory, at most one per key. Initialised from disk; change it inside a transaction. */
export function createPendingGroups(known: readonly PendingGroup[]) {
	const groups = new Map<number, PendingGroup>();
	const names = new Map<string, number>();
	const due = createDueQueue();
	const tally = createCountsByRoute();
	const {undo, ...memory} = createUndo();

	const set = (group: PendingGroup) => {
		if (!groups.has(group.id)) {
			tally.add(group, 1);
		}

		groups.set(group.id, group);
		names.set(nameOfGroup(group), group.id);
		due.set(group.id, dueOf(group).at - group.offset);
	};

	const remove = (group: PendingGroup) => {
		if (groups.delete(group.id)) {
			tally.add(group, -1);
		}

		names.delete(nameOfGroup(group));
		due.delete(group.id);
	};

	const get = (id: number | undefined) => (id === undefined ? undefined : groups.get(id));

	for (const group of known) {
		set(group);
	}

	return {
		ofKey: (key: GroupKey) => get(names.get(nameOfGroup(key))),
		get,
		/** Adds a group, or replaces the one of that number. */
		put(group: PendingGroup) {
			const before = groups.get(group.id);
			set(group);
			undo(() => {
				if (before) {
					set(before);
				} else {
					remove(group);
				}
			});
		},
		remove(group: PendingGroup) {
			remove(group);
			undo(() => set(group));
		},
		/** The group that is due first, by the monotonic clock. */
		first: () => get(due.first()?.id),
		ids: () => [...groups.keys()],
		all: () => groups.values(),
		count: () => groups.size,
		/** The number of pending groups of a route. */
		countOf: (route: RouteKey) => tally.of(route),
		...memory,
	};
}

/** Unique: names of profiles and routes contain no NUL. */
export const nameOfGroup = ({profile, route, key}: GroupKey): string =>
	`${profile}\0${route}\0${key}`;
