import type {GatewayEvent} from './events.ts';
import {dueOf, type Group} from './group.ts';
import {limits} from './state.ts';

/** The groups after `events`: pending ones by when they are due, then the newest that were dispatched. Both are capped. Pure. */
export function groupsAfter(
	groups: readonly Group[],
	events: readonly GatewayEvent[],
): readonly Group[] {
	const changed = new Map<number, Group>();
	let known = groups;
	for (const event of events) {
		if (event.type === 'history-restored') {
			known = event.groups;
			changed.clear();
		} else if (event.type === 'group-changed') {
			changed.set(event.group.id, event.group);
		}
	}

	return changed.size === 0 ? known : sorted([...merged(known, changed)]);
}

function* merged(known: readonly Group[], changed: ReadonlyMap<number, Group>) {
	for (const group of known) {
		if (!changed.has(group.id)) {
			yield group;
		}
	}

	yield* changed.values();
}

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
