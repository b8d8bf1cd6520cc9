import type {Approval} from './approval.ts';
import type {EventOf} from './events.ts';
import {dueOf, type Group} from './group.ts';
import {idOfNumber, numberOfId} from './ids.ts';
import {nearRows} from './reduce-deliveries.ts';
import type {RunEvent} from './reduce-runs.ts';
import {limits, type GatewayState} from './state.ts';
import type {ServerView} from './tool-server.ts';

type Whole = NonNullable<GatewayState['wholeFrom']>;

/**
 * `GatewayState.wholeFrom` after `events`: the first delivery and run from which the lists have no gaps. A full list may drop a row that is not its oldest (one of a busy
 * route), so that gaps are possible up to the newest dropped row. Pure; returns the same object while nothing changes.
 */
export function wholeAfter(
	known: Whole | undefined,
	events: readonly RunEvent[],
	{
		state: {deliveries, runs},
		before,
	}: {readonly state: GatewayState; readonly before: GatewayState},
): Whole | undefined {
	const restored = events.findLast(event => event.type === 'history-restored');
	const whole: Whole | undefined = restored
		? {
				...(restored.deliveries[0] && {delivery: restored.deliveries[0].id}),
				run: restored.runsFrom ?? 0,
			}
		: known;
	const delivery =
		!restored && deliveries !== before.deliveries && deliveries.length >= limits.deliveries
			? droppedDelivery(before.deliveries, deliveries)
			: undefined;
	const run =
		runs !== before.runs && runs.length >= limits.runs ? droppedRun(before.runs, runs) : undefined;
	return delivery === undefined && run === undefined
		? whole
		: {
				...whole,
				...(delivery !== undefined && {delivery}),
				...(run !== undefined && {run: run + 1}),
			};
}

/** The identifier after that of the newest dropped row; `undefined` if none was dropped. Rows that grew keep their key; merged rows do not count as dropped. */
function droppedDelivery(
	before: GatewayState['deliveries'],
	after: GatewayState['deliveries'],
): string | undefined {
	let at = 0;
	let dropped: string | undefined;
	for (const row of before) {
		if (after[at]?.key === row.key) {
			at += 1;
		} else if (!isJoined(after, row.delivery.receivedAt)) {
			dropped = row.delivery.id;
		}
	}

	return dropped === undefined ? undefined : idOfNumber(numberOfId(dropped) + 1);
}

const isJoined = (rows: GatewayState['deliveries'], receivedAt: number): boolean =>
	rows
		.slice(-nearRows)
		.some(
			({count, firstAt = Infinity, delivery}) =>
				count > 1 && firstAt <= receivedAt && delivery.receivedAt >= receivedAt,
		);

function droppedRun(before: GatewayState['runs'], after: GatewayState['runs']): number | undefined {
	const kept = new Set(after.map(({id}) => id));
	return before.findLast(({id}) => !kept.has(id))?.id;
}

/**
 * Changes waiting approvals, settled approvals and rules by one event. Events of one request may arrive in any order: a settled request
 * never becomes waiting again.
 */
export const approvalParts = {
	'history-restored': (
		{approvals}: EventOf<'history-restored'>,
		{settledApprovals: settled}: GatewayState,
	) => ({
		settledApprovals: [...approvals.filter(({id}) => !has(settled, id)), ...settled].slice(
			-limits.settledApprovals,
		),
	}),
	'approval-requested': (
		{approval}: EventOf<'approval-requested'>,
		{approvals, settledApprovals}: GatewayState,
	) =>
		has(approvals, approval.id) || has(settledApprovals, approval.id)
			? {}
			: {approvals: [...approvals, approval].slice(-limits.waitingApprovals)},
	'approval-extended': ({approval}: EventOf<'approval-extended'>, {approvals}: GatewayState) =>
		has(approvals, approval.id)
			? {approvals: approvals.map(one => (one.id === approval.id ? approval : one))}
			: {},
	'approval-settled': (
		{approval}: EventOf<'approval-settled'>,
		{approvals, settledApprovals}: GatewayState,
	) => ({
		...(has(approvals, approval.id) && {
			approvals: approvals.filter(({id}) => id !== approval.id),
		}),
		settledApprovals: [...settledApprovals.filter(({id}) => id !== approval.id), approval].slice(
			-limits.settledApprovals,
		),
	}),
	'approval-rules-changed': ({rules}: EventOf<'approval-rules-changed'>) => ({
		approvalRules: rules,
	}),
};

const has = (approvals: readonly Approval[], id: number): boolean =>
	approvals.some(one => one.id === id);

type GroupEvent = EventOf<'history-restored' | 'group-changed'>;

/**
 * The groups after `events`: pending ones by due time, then the newest dispatched ones. Both are capped. Pure. Events of one group may arrive in any order: a
 * dispatched group stays dispatched, and its count never shrinks.
 */
export function groupsAfter(
	groups: readonly Group[],
	events: readonly GroupEvent[],
): readonly Group[] {
	if (!events.some(event => groupsOf(event).length > 0)) {
		return groups;
	}

	const known = new Map(groups.map(group => [group.id, group]));
	for (const event of events) {
		for (const group of groupsOf(event)) {
			if (isNews(group, known.get(group.id))) {
				known.set(group.id, group);
			}
		}
	}

	return sorted([...known.values()]);
}

const groupsOf = (event: GroupEvent): readonly Group[] =>
	event.type === 'history-restored' ? event.groups : [event.group];

const isNews = (group: Group, known: Group | undefined): boolean =>
	known === undefined ||
	group.state === 'dispatched' ||
	(known.state === 'pending' && group.count >= known.count);

function sorted(groups: readonly Group[]): readonly Group[] {
	const pending = groups
		.filter(({state}) => state === 'pending')
		.toSorted((a, b) => dueOf(a).at - dueOf(b).at || a.id - b.id);
	const dispatched = groups
		.filter(({state}) => state === 'dispatched')
		.toSorted((a, b) => (b.dispatchedAt ?? 0) - (a.dispatchedAt ?? 0) || b.id - a.id);
	return [
		...pending.slice(0, limits.pendingGroups),
		...dispatched.slice(0, limits.dispatchedGroups),
	];
}

/** The keys of the chat API after a change: known keys keep their position. */
export function keysAfter(
	keys: GatewayState['keys'],
	event: Pick<EventOf<'keys-changed'>, 'keys' | 'gone'>,
): GatewayState['keys'] {
	const changed = new Map(event.keys.map(key => [key.id, key]));
	const gone = new Set(event.gone);
	const known = (keys ?? []).map(key => {
		const next = changed.get(key.id) ?? key;
		changed.delete(key.id);
		return next;
	});
	return [...known, ...changed.values()].filter(({id}) => !gone.has(id)).slice(-limits.keys);
}

/** The tool servers after `events`, in the order of `inServerOrder`. */
export function serversAfter(
	servers: GatewayState['servers'],
	events: ReadonlyArray<EventOf<'server-changed' | 'server-removed'>>,
): GatewayState['servers'] {
	const next = new Map(servers.map(server => [placeOf(server), server]));
	for (const event of events) {
		if (event.type === 'server-changed') {
			next.set(placeOf(event.server), event.server);
		} else {
			next.delete(placeOf(event));
		}
	}

	return inServerOrder([...next.values()]);
}

/** Sorts servers by profile (the gateway's own first), then by name. */
export const inServerOrder = (servers: readonly ServerView[]): readonly ServerView[] =>
	servers.toSorted(
		(one, other) => compare(profileRank(one), profileRank(other)) || compare(one.name, other.name),
	);

const profileRank = ({profile}: ServerView): string => (profile === 'default' ? '' : profile);

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

const placeOf = ({profile, name}: {readonly profile: string; readonly name: string}): string =>
	`${profile} ${name}`;
