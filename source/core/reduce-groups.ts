import type {GatewayEvent} from './events.ts';
import {dueOf, type Group} from './group.ts';
import {limits} from './state.ts';

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
