import type {Group, GroupReason, StoredGroup} from '../core/group.ts';

/** Groups of events that become one run. Windows are measured on the monotonic clock; opening the store uses the stored times, capped at the group's `maxWaitMs` from now. */
export type Groups = {
	/** Milliseconds until the first pending group is due, 0 when one already is; `undefined` when none is pending. */
	nextDueMs(): Promise<number | undefined>;
	/** Durably turns due groups into queued runs, at most 100 per call; resolves with the changed groups. */
	dispatchDue(): Promise<readonly Group[]>;
	/** Dispatches one pending group, or all, now. Empty when there is nothing to dispatch. Rejects only when none could be dispatched; otherwise those that failed stay pending. */
	dispatch(which: {readonly id: number} | 'all', reason: GroupReason): Promise<readonly Group[]>;
	get(id: number): Promise<StoredGroup | undefined>;
	/** Pending groups by when they are due, then dispatched ones, newest first; at most `limit` (1 to 5,000). */
	list(filter: {
		readonly state?: Group['state'];
		readonly profile?: string;
		readonly limit: number;
	}): Promise<readonly Group[]>;
	/** The number of pending groups. */
	pending(): Promise<number>;
};
