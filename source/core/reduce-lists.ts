import type {Approval} from './approval.ts';
import type {GatewayEvent} from './events.ts';
import {dueOf, type Group} from './group.ts';
import {idOfNumber, numberOfId} from './ids.ts';
import {limits, type GatewayState} from './state.ts';
import type {ServerView} from './tool-server.ts';

type Whole = NonNullable<GatewayState['wholeFrom']>;

/**
 * From where on the lists hold everything, after `events`. What a full list drops need not be its oldest row (a busy route gives way to quiet ones), so the lists
 * have gaps behind the newest that was dropped. Pure; the same object while nothing changed.
 */
export function wholeAfter(
	{
		before,
		deliveries,
		runs,
	}: {readonly before: GatewayState} & Pick<GatewayState, 'deliveries' | 'runs'>,
	events: readonly GatewayEvent[],
): Whole | undefined {
	const restored = events.findLast(event => event.type === 'history-restored');
	const whole: Whole | undefined = restored
		? {
				...(restored.deliveries[0] && {delivery: restored.deliveries[0].id}),
				run: restored.runsFrom ?? 0,
			}
		: before.wholeFrom;
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

/** The identifier after the newest row that went; rows that grew have their key still, and two that became one are no loss. */
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

/** How many rows from the end rows can become one. */
const nearRows = 20;

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

type Slices = Pick<GatewayState, 'approvals' | 'settledApprovals' | 'approvalRules'>;

/**
 * What waits for a person, what was settled and which rules hold after `events`. Pure; a slice that no event touched stays the same object. Events of one
 * request may come in any order: what was settled waits no more.
 */
export const approvalsAfter = (
	{approvals, settledApprovals, approvalRules}: Slices,
	events: readonly GatewayEvent[],
): Slices =>
	events.reduce<Slices>(
		(slices, event) => ({
			approvals: waitingAfter(slices, event),
			settledApprovals: settledAfter(slices.settledApprovals, event),
			approvalRules: event.type === 'approval-rules-changed' ? event.rules : slices.approvalRules,
		}),
		{approvals, settledApprovals, approvalRules},
	);

function waitingAfter(
	{approvals, settledApprovals}: Slices,
	event: GatewayEvent,
): readonly Approval[] {
	if (event.type === 'approval-requested') {
		const {id} = event.approval;
		return has(approvals, id) || has(settledApprovals, id)
			? approvals
			: [...approvals, event.approval].slice(-limits.waitingApprovals);
	}

	if (event.type === 'approval-extended' && has(approvals, event.approval.id)) {
		return approvals.map(one => (one.id === event.approval.id ? event.approval : one));
	}

	return event.type === 'approval-settled' && has(approvals, event.approval.id)
		? approvals.filter(({id}) => id !== event.approval.id)
		: approvals;
}

function settledAfter(settled: readonly Approval[], event: GatewayEvent): readonly Approval[] {
	if (event.type === 'history-restored') {
		return [...event.approvals.filter(({id}) => !has(settled, id)), ...settled].slice(
			-limits.settledApprovals,
		);
	}

	return event.type === 'approval-settled'
		? [...settled.filter(({id}) => id !== event.approval.id), event.approval].slice(
				-limits.settledApprovals,
			)
		: settled;
}

const has = (approvals: readonly Approval[], id: number): boolean =>
	approvals.some(one => one.id === id);

/**
 * The groups after `events`: pending ones by when they are due, then the newest that were dispatched. Both are capped. Pure. Events of one group may come in any order: a
 * group that was dispatched stays dispatched, and does not lose events that it has.
 */
export function groupsAfter(
	groups: readonly Group[],
	events: readonly GatewayEvent[],
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

const groupsOf = (event: GatewayEvent): readonly Group[] => {
	if (event.type === 'history-restored') {
		return event.groups;
	}

	return event.type === 'group-changed' ? [event.group] : [];
};

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

/** The keys of the chat API after `event`: those that are known keep their place. */
export function keysAfter(keys: GatewayState['keys'], event: GatewayEvent): GatewayState['keys'] {
	if (event.type !== 'keys-changed') {
		return keys;
	}

	const changed = new Map(event.keys.map(key => [key.id, key]));
	const gone = new Set(event.gone);
	const known = (keys ?? []).map(key => {
		const next = changed.get(key.id) ?? key;
		changed.delete(key.id);
		return next;
	});
	return [...known, ...changed.values()].filter(({id}) => !gone.has(id)).slice(-limits.keys);
}

/** The tool servers after `events`: by profile, the gateway's own first, and name. */
export function serversAfter(
	servers: GatewayState['servers'],
	events: readonly GatewayEvent[],
): GatewayState['servers'] {
	let next: Map<string, ServerView> | undefined;
	for (const event of events) {
		if (event.type === 'server-changed') {
			next ??= byPlace(servers);
			next.set(placeOf(event.server), event.server);
		} else if (event.type === 'server-removed') {
			next ??= byPlace(servers);
			next.delete(placeOf(event));
		}
	}

	return next ? inServerOrder([...next.values()]) : servers;
}

/** Servers by profile, the gateway's own first, and name. */
export const inServerOrder = (servers: readonly ServerView[]): readonly ServerView[] =>
	servers.toSorted(
		(one, other) => compare(profileRank(one), profileRank(other)) || compare(one.name, other.name),
	);

const profileRank = ({profile}: ServerView): string => (profile === 'default' ? '' : profile);

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

const placeOf = ({profile, name}: {readonly profile: string; readonly name: string}): string =>
	`${profile} ${name}`;

const byPlace = (servers: readonly ServerView[]): Map<string, ServerView> =>
	new Map(servers.map(server => [placeOf(server), server]));

/** How the store stands, and who shares it. */
type StoreSlices = Pick<
	GatewayState,
	'cluster' | 'notesLagMs' | 'storeFailing' | 'storeFailingSince'
>;

/** The same after `events`; what is not known is absent. */
export function storeAfter(
	{
		cluster,
		notesLagMs,
		storeFailing,
		storeFailingSince,
	}: {readonly [Key in keyof StoreSlices]: StoreSlices[Key] | undefined},
	events: readonly GatewayEvent[],
): StoreSlices {
	let members = cluster && {cluster, ...(notesLagMs !== undefined && {notesLagMs})};
	let failing =
		storeFailing === undefined
			? undefined
			: {storeFailing, ...(storeFailingSince !== undefined && {storeFailingSince})};
	for (const event of events) {
		if (event.type === 'cluster-changed') {
			const {members: all, notesLagMs: late} = event;
			members = {cluster: all, ...(late !== undefined && {notesLagMs: late})};
		} else if (event.type === 'store-failing') {
			const {reason, at} = event;
			failing =
				reason === undefined
					? undefined
					: {storeFailing: reason, storeFailingSince: failing?.storeFailingSince ?? at};
		}
	}

	return {...members, ...failing};
}
