import {dueOf, type Group, type GroupReason, type StoredGroup} from '../../core/group.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Table} from '../console/print-table.ts';

const reasons: Readonly<Record<GroupReason, string>> = {
	quiet: 'the window passed without another event',
	cap: 'the longest wait was over',
	stop: 'the receiver stopped',
	person: 'a person asked for it',
};

/** Groups as a table, as of `now`. */
export const groupTable = (groups: readonly Group[], now: number): Table => ({
	header: ['GROUP', 'ROUTE', 'KEY', 'EVENTS', 'FIRST', 'STATE', 'RUN'],
	rows: groups.map(group => [
		String(group.id),
		group.route,
		group.key,
		String(group.count),
		printableTime(group.firstAt),
		stateOf(group, now),
		group.runId === undefined ? '' : `#${group.runId}`,
	]),
	empty:
		'No groups yet: a route with "coalesce" gathers its events (svc webhook subscribe NAME --coalesce-key KEY)',
	whole: ['GROUP', 'FIRST', 'RUN'],
	optional: ['FIRST'],
});

/** A group in lines: what it waits for, or what became of it, and its events. */
export function describeGroup(group: StoredGroup, now: number): readonly string[] {
	const {id, route, profile, key, count, members, reason, runId} = group;
	const superseded = count - 1;
	return [
		`${id}  ${route}  ${key}  ${stateOf(group, now)}`,
		...(profile === 'default' ? [] : [`profile     ${profile}`]),
		`first event ${printableTime(group.firstAt)}, latest ${printableTime(group.lastAt)}`,
		...(group.state === 'pending'
			? [
					`due         ${printableTime(dueOf(group).at)}: quiet until ${printableTime(group.quietAt)}, at the latest ${printableTime(group.capAt)} (svc groups dispatch ${id})`,
				]
			: [
					`dispatched  ${group.dispatchedAt === undefined ? '-' : printableTime(group.dispatchedAt)}${reason ? `: ${reasons[reason]}` : ''}`,
				]),
		...(runId === undefined ? [] : [`run         #${runId} (svc runs show ${runId})`]),
		'',
		`events (${count}, ${superseded} superseded by the latest)`,
		...(members.length < count ? [`  … ${count - members.length} older ones`] : []),
		...members.map(
			({delivery, event, receivedAt, deliveryId}) =>
				`  ${printableTime(receivedAt)}  ${delivery}  ${event}  ${deliveryId}${delivery === group.latest ? '  <- runs' : ''}`,
		),
	];
}

function stateOf(group: Group, now: number): string {
	if (group.state === 'dispatched') {
		return `dispatched${group.reason ? ` (${group.reason})` : ''}`;
	}

	const {at, reason} = dueOf(group);
	return `due in ${Math.max(0, Math.ceil((at - now) / 1000))}s (${reason})`;
}
