import type {groupMemberSchema, groupSchema, storedGroupSchema} from './schemas/group.ts';
import type {Shape} from './schemas/parts.ts';

/**
 * Why a group was dispatched: its quiet window passed, its cap was reached, the receiver stopped, or a person asked for it.
 */
export type GroupReason = NonNullable<Group['reason']>;

/**
 * Events of one entity that wait together and become one run. Untrusted strings are cleaned by `escapeLine` when the value is made. Times are
 * milliseconds since 1970 by a clock that never jumps: the wall-clock time of the first event (or of the start of the process, if later) plus the monotonic time
 * since then.
 *
 * @see manual/routes.md#coalescing
 */
export type Group = Shape<typeof groupSchema>;

/** One event of a group. */
export type GroupMember = Shape<typeof groupMemberSchema>;

/** A group and its events, oldest first; the newest 1,000 when there are more. */
export type StoredGroup = Shape<typeof storedGroupSchema>;

/** Quiet window and longest wait of a route's groups, milliseconds. */
export type GroupWindow = {readonly windowMs: number; readonly maxWaitMs: number};

/** Times and number of events of a group, after an event. */
type GroupTimes = Pick<Group, 'firstAt' | 'lastAt' | 'quietAt' | 'capAt' | 'count'>;

/** The effect of an event on the pending group with the same key. */
export type GroupStep =
	/** Opens a new group. `ended`: why the pending group, if any, is dispatched first. */
	| {readonly kind: 'open'; readonly ended?: GroupReason; readonly next: GroupTimes}
	| {readonly kind: 'join'; readonly next: GroupTimes};

/** When and why a pending group is dispatched if no further event comes. A tie counts as `quiet`. */
export const dueOf = ({
	quietAt,
	capAt,
}: Pick<Group, 'quietAt' | 'capAt'>): {readonly at: number; readonly reason: GroupReason} =>
	quietAt <= capAt ? {at: quietAt, reason: 'quiet'} : {at: capAt, reason: 'cap'};

/**
 * Decides whether an event at `now` joins the pending group of its key or opens a new one. Pure. The current settings of the route determine
 * how long the group waits after this event; the cap counts from the first event.
 *
 * @see manual/routes.md#coalescing
 */
export function stepGroup(
	pending: Pick<Group, 'firstAt' | 'quietAt' | 'capAt' | 'count'> | undefined,
	{windowMs, maxWaitMs}: GroupWindow,
	now: number,
): GroupStep {
	const due = pending && dueOf(pending);
	const isJoined = due !== undefined && now < due.at;
	const {firstAt, count} = pending && isJoined ? pending : {firstAt: now, count: 0};
	const next = {
		firstAt,
		lastAt: now,
		quietAt: now + windowMs,
		capAt: firstAt + maxWaitMs,
		count: count + 1,
	};
	return isJoined ? {kind: 'join', next} : {kind: 'open', ...(due && {ended: due.reason}), next};
}
