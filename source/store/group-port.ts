import type {Group, GroupReason, StoredGroup} from '../core/group.ts';

/** Events that wait to become one run. Windows are measured on the monotonic clock; opening takes the stored times, never longer ahead than the group's own `maxWaitMs`. */
export type Groups = {
	/** Milliseconds until the first pending group is due, 0 when one is; `undefined` when none waits. */
	nextDueMs(): Promise<number | undefined>;
	/** Durably turns every group that is due into a queued run, at most 100 in one call; the groups as they are now. */
	dispatchDue(): Promise<readonly Group[]>;
	/** The same for one pending group, or all of them, now. Empty when there is nothing to dispatch. Rejects only when none could be; those that could not while others could wait on. */
	dispatch(which: {readonly id: number} | 'all', reason: GroupReason): Promise<readonly Group[]>;
	get(id: number): Promise<StoredGroup | undefined>;
	/** Pending ones by when they are due, then dispatched ones, newest first; at most `limit` (1 to 5,000). */
	list(filter: {
		readonly state?: Group['state'];
		readonly profile?: string;
		readonly limit: number;
	}): Promise<readonly Group[]>;
	/** How many wait. */
	pending(): Promise<number>;
};
