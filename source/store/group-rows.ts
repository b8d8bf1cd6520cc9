import type {Group, GroupMember, GroupReason} from '../core/group.ts';
import {idOfNumber} from '../core/ids.ts';
import {escapeLine} from '../core/untrusted.ts';
import {integerOf, textOf, wordOf, type Row} from './columns.ts';
import type {NewRun} from './due-queue.ts';
import type {WaitingGroup} from './pending-groups.ts';

/** Maximum number of a group's members that are read; a group may have more. */
export const maxMembers = 1000;

/** Maximum number of groups in one listing. */
export const maxListed = 5000;

/** Columns of a group; `groupTables` joins the tables. */
export const groupColumns =
	'coalesce_group.id, coalesce_group.profile, coalesce_group.route, key, first_at, last_at, quiet_at, cap_at, count, latest, coalesce_group.target, dispatched_at, reason, coalesce_group.run, delivery.event';

/** A group and its latest delivery. */
export const groupTables = 'coalesce_group left join delivery on delivery.id = latest';

/** Parses a row of `groupColumns` of a pending group. */
export const waitingGroupOf = (row: Row): WaitingGroup => ({
	id: integerOf(row['id']),
	profile: textOf(row['profile']),
	route: textOf(row['route']),
	key: textOf(row['key']),
	firstAt: integerOf(row['first_at']),
	lastAt: integerOf(row['last_at']),
	quietAt: integerOf(row['quiet_at']),
	capAt: integerOf(row['cap_at']),
	count: integerOf(row['count']),
	event: textOf(row['event']),
	latest: integerOf(row['latest']),
	target: textOf(row['target']),
});

/** How a group ended. */
export type GroupEnd = Required<Pick<Group, 'dispatchedAt' | 'reason' | 'runId'>>;

/** The run of a group that is dispatched now. */
export const runOfGroup = (
	{id, profile, route, target, latest, count}: WaitingGroup,
	now: number,
): NewRun => ({
	delivery: latest,
	profile,
	route,
	target,
	createdAt: now,
	dueAt: now,
	group: {id, superseded: count - 1},
});

/** The value for faces of a group. `end`: how it ended, if it has. */
export function groupOf(
	{id, profile, route, key, latest, event, ...group}: WaitingGroup,
	end?: GroupEnd,
): Group {
	const {firstAt, lastAt, quietAt, capAt, count} = group;
	return {
		id,
		profile,
		route,
		key: escapeLine(key),
		state: end ? 'dispatched' : 'pending',
		firstAt,
		lastAt,
		quietAt,
		capAt,
		count,
		latest: idOfNumber(latest),
		event,
		...end,
	};
}

/** Converts a row of `groupColumns` to the value for faces. */
export const groupOfRow = (row: Row): Group =>
	groupOf(
		waitingGroupOf(row),
		row['run'] === null
			? undefined
			: {
					dispatchedAt: integerOf(row['dispatched_at']),
					reason: wordOf<GroupReason>(row['reason']),
					runId: integerOf(row['run']),
				},
	);

/** Converts a delivery's row of `id, delivery_id, event, subject, received_at`. */
export const groupMemberOf = (row: Row): GroupMember => ({
	delivery: idOfNumber(integerOf(row['id'])),
	deliveryId: textOf(row['delivery_id']),
	event: textOf(row['event']),
	...(typeof row['subject'] === 'string' && {subject: row['subject']}),
	receivedAt: integerOf(row['received_at']),
});
