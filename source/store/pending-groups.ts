import {dueOf, type Group} from '../core/group.ts';
import {createCountsByRoute} from './counters.ts';
import {createDueQueue} from './due-queue.ts';
import type {RouteKey} from './port.ts';
import {createUndo} from './transaction.ts';

/** Whose events wait together. `key` as it was rendered, not cleaned. */
export type GroupKey = Pick<Group, 'profile' | 'route' | 'key'>;

/** What the disk knows of a group that waits. */
export type WaitingGroup = GroupKey &
	Pick<Group, 'id' | 'firstAt' | 'lastAt' | 'quietAt' | 'capAt' | 'count' | 'event'> & {
		/** Row of its latest delivery. */
		readonly latest: number;
		/** Kind of the target of its run. */
		readonly target: string;
	};

/** A group that waits in this process. Its times are those of its own steady clock, whose `offset` it has. */
export type PendingGroup = WaitingGroup & {readonly offset: number};

export type PendingGroups = ReturnType<typeof createPendingGroups>;

/** The groups that wait, in memory: at most one of a key. Begins with what is on disk; changes belong inside a transaction. */
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
		/** Adds a group, or puts it in place of what was known of it. */
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
		/** The one that is due first, on the monotonic clock. */
		first: () => get(due.first()?.id),
		ids: () => [...groups.keys()],
		all: () => groups.values(),
		count: () => groups.size,
		/** Those of one route. */
		countOf: (route: RouteKey) => tally.of(route),
		...memory,
	};
}

/** Names of profiles and routes hold no NUL, so no two keys have one name. */
export const nameOfGroup = ({profile, route, key}: GroupKey): string =>
	`${profile}\0${route}\0${key}`;
