import {expect, test} from 'vitest';
import type {EventOf} from '../../source/core/events.ts';
import type {Group} from '../../source/core/group.ts';
import {groupsAfter} from '../../source/core/reduce-lists.ts';
import {reduce} from '../../source/core/reduce.ts';
import {initialState, limits} from '../../source/core/state.ts';
import {makeGroup} from '../helpers/make.ts';

const startMs = 1_700_000_000_000;

const changed = (group: Group): EventOf<'group-changed'> => ({
	type: 'group-changed',
	at: startMs,
	group,
});

const restored = (groups: readonly Group[]): EventOf<'history-restored'> => ({
	type: 'history-restored',
	at: startMs,
	deliveries: [],
	runs: [],
	groups,
	approvals: [],
});

const pending = (id: number, dueMs: number): Group =>
	makeGroup({id, quietAt: startMs + dueMs, capAt: startMs + 300_000});

const dispatched = (id: number, atMs: number): Group =>
	makeGroup({id, state: 'dispatched', dispatchedAt: startMs + atMs, reason: 'quiet', runId: id});

const idsOf = (groups: readonly Group[]) => groups.map(({id}) => id);

test('pending groups stand by when they are due, then dispatched ones, newest first', () => {
	const groups = groupsAfter(
		[],
		[pending(1, 30), dispatched(2, 5), pending(3, 10), dispatched(4, 9), pending(5, 30)].map(
			changed,
		),
	);
	expect(idsOf(groups)).toEqual([3, 1, 5, 4, 2]);
});

test('the cap counts where it comes before the quiet window', () => {
	const soon = makeGroup({id: 1, quietAt: startMs + 90, capAt: startMs + 20});
	expect(idsOf(groupsAfter([], [changed(pending(2, 30)), changed(soon)]))).toEqual([1, 2]);
});

test('an event replaces what was known of its group, and moves it', () => {
	const before = groupsAfter([], [changed(pending(1, 10)), changed(pending(2, 20))]);
	const joined = {...pending(1, 40), count: 2};
	expect(groupsAfter(before, [changed(joined)])).toEqual([pending(2, 20), joined]);
	expect(idsOf(groupsAfter(before, [changed(dispatched(1, 10))]))).toEqual([2, 1]);
});

test('events of one group may come late: it stays dispatched and keeps its count', () => {
	const three = {...pending(1, 40), count: 3};
	const late = groupsAfter([], [changed(three), changed({...pending(1, 10), count: 2})]);
	expect(late).toEqual([three]);
	const ended = {...dispatched(1, 50), count: 3};
	expect(groupsAfter(late, [changed(ended), changed(three)])).toEqual([ended]);
	expect(groupsAfter([ended], [changed(three)])).toEqual([ended]);
});

test('what the journal knew at the start joins what came since: an older word of a group changes nothing', () => {
	const grown = {...pending(4, 30), count: 3};
	const groups = groupsAfter(
		[pending(2, 10)],
		[
			changed(dispatched(5, 9)),
			changed(grown),
			restored([dispatched(3, 1), pending(4, 20), pending(5, 2)]),
			changed(pending(6, 10)),
		],
	);
	expect(idsOf(groups)).toEqual([2, 6, 4, 5, 3]);
	expect(groups[2]).toEqual(grown);
	expect(groupsAfter(groups, [restored([])])).toBe(groups);
});

test('events of other things leave the list the same object', () => {
	const groups = [pending(1, 10)];
	const state = reduce(initialState, [changed(pending(1, 10))]);
	expect(reduce(state, [{type: 'webhook-closed', at: startMs}]).groups).toBe(state.groups);
	expect(groupsAfter(groups, [])).toBe(groups);
});

test('both lists are capped: the pending ones that are due last, and the oldest dispatched ones, go', () => {
	const many = (count: number, make: (id: number) => Group) =>
		Array.from({length: count}, (_, index) => make(index + 1));
	const waiting = many(limits.pendingGroups + 5, id => pending(id, id));
	const over = many(limits.dispatchedGroups + 5, id => dispatched(100_000 + id, id));
	for (const events of [[restored([...waiting, ...over])], [...waiting, ...over].map(changed)]) {
		const groups = groupsAfter([], events);
		expect(groups).toHaveLength(limits.pendingGroups + limits.dispatchedGroups);
		expect(groups.find(({id}) => id === limits.pendingGroups + 1)).toBeUndefined();
		expect(groups.at(-1)?.id).toBe(100_006);
	}
});
