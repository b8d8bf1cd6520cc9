import {expect, test} from 'vitest';
import type {Approval} from '../../../source/core/approval.ts';
import {limits} from '../../../source/core/state.ts';
import {entryList} from '../../../source/tui/entries/lists.ts';
import {groupList} from '../../../source/tui/entries/sections.ts';
import {searchedPart} from '../../../source/tui/lines/title-parts.ts';
import type {Host} from '../../../source/tui/shell/shell.ts';
import {createFeed} from '../../../source/tui/state/feed.ts';
import type {AnyList} from '../../../source/tui/state/list.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeGroup} from '../../helpers/make.ts';

type Page = {readonly before?: number; readonly limit?: number; readonly filter?: string};

/** A step of a journal that has `rows`, oldest first, by their cursors. */
function stepOf<Row>(
	rows: readonly Row[],
	cursorOf: (row: Row) => number,
	{before = Infinity, limit = 100}: Page = {},
) {
	const left = rows.filter(row => cursorOf(row) < before).toReversed();
	const items = left.slice(0, limit);
	const end = items.at(-1);
	return {
		items,
		scanned: items.length,
		...(left.length > items.length && end !== undefined && {searchedTo: cursorOf(end)}),
	};
}

/** A list of a pane over `port`, on a screen of 20 rows. */
function open(id: 'approvals' | 'groups', port: FakePort) {
	const clock = createFakeClock();
	const feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000}));
	const host = {
		feed,
		port,
		clock,
		pane: () => ({id}),
		layout: () => ({bodyHeight: 30}),
		view: {get: () => ({size: {columns: 120, rows: 36}})},
	} as unknown as Host;
	const list: AnyList = (id === 'approvals' ? entryList : groupList).open(host, '');
	const settle = async () => {
		for (let turn = 0; turn < 40; turn++) {
			// oxlint-disable-next-line no-await-in-loop -- each answer may lead to a question
			await new Promise(resolve => {
				setImmediate(resolve);
			});
		}
	};
	return {
		list,
		settle,
		tick: () => {
			clock.advance(100);
		},
		async walk(move: 'page-down' | 'page-up', last: string) {
			for (let step = 0; step < 200 && list.selectedKey() !== last; step++) {
				list.move(move);
				// oxlint-disable-next-line no-await-in-loop -- a person waits for what comes
				await new Promise(resolve => {
					setImmediate(resolve);
				});
			}

			expect(list.selectedKey()).toBe(last);
		},
		[Symbol.dispose]() {
			feed[Symbol.dispose]();
		},
	};
}

const titleText = (list: AnyList) =>
	searchedPart(list)
		.map(({text}) => text)
		.join('');

const settled = (id: number): Approval =>
	makeToolApproval({id, requestedAt: id, decision: {outcome: 'denied', by: 'timeout', at: id}});

const count = 1200;

/** Approvals of which one waits and so many were settled; the state holds the newest. */
function manySettled(settledCount = count) {
	const all = Array.from({length: settledCount}, (_, index) => settled(index + 1));
	const waiting = makeToolApproval({id: 9000});
	const slices = () => ({
		approvals: [waiting],
		settledApprovals: all.slice(-limits.settledApprovals),
	});
	const port = createFakePort(slices());
	const asked: Page[] = [];
	port.searchApprovals = async page => {
		asked.push(page ?? {});
		return stepOf(all, ({id}) => id, page);
	};
	const at = open('approvals', port);
	return {
		...at,
		asked,
		port,
		grow(by: number) {
			const first = all.length + 1;
			all.push(...Array.from({length: by}, (_, index) => settled(first + index)));
			port.change(slices());
			at.tick();
		},
	};
}

const keys = (list: AnyList) =>
	(list.get().items as ReadonlyArray<{approval: Approval}>).map(({approval}) => approval.id);

const fallingFrom = (newest: number) => Array.from({length: newest}, (_, index) => newest - index);

test('1,200 settled approvals page to the very first and back, below what waits', async () => {
	using at = manySettled();
	await at.settle();
	expect(at.asked, 'nobody has come near to the end').toEqual([]);
	expect(at.list.selectedKey()).toBe('waiting 9000');
	await at.walk('page-down', 'settled 1');
	expect(keys(at.list)).toEqual([9000, ...fallingFrom(count)]);
	await at.walk('page-up', 'waiting 9000');
	expect(at.asked).toHaveLength(count / 200);
	expect(at.list.get().total).toBe(count + 1);
});

test('the place is kept while others are settled, and none is lost of those that the state lets go of', async () => {
	using at = manySettled();
	await at.walk('page-down', 'settled 1');
	at.list.move('page-up');
	const place = at.list.selectedKey();
	for (let round = 0; round < 4; round++) {
		at.grow(200);
	}

	expect(at.list.selectedKey()).toBe(place);
	expect(keys(at.list)).toEqual([9000, ...fallingFrom(count + 800)]);
});

test('when more came than the state holds, what lies between is read anew', async () => {
	using at = manySettled();
	await at.walk('page-down', 'settled 1');
	at.grow(700);
	await at.settle();
	at.list.move('last');
	await at.settle();
	expect(at.list.selectedKey()).toBe('settled 1');
	expect(keys(at.list)).toEqual([9000, ...fallingFrom(count + 700)]);
});

test('one key leads to the oldest, unless the person moves on meanwhile', async () => {
	using at = manySettled();
	at.list.move('last');
	at.list.move('first');
	await at.settle();
	expect(at.list.selectedKey()).toBe('waiting 9000');
	at.list.move('last');
	await at.settle();
	expect(at.list.selectedKey()).toBe('settled 1');
});

test('a filter is asked of the journal until the screen is full, and a journal that fails is told of', async () => {
	using at = manySettled();
	at.list.setFilter('kind:waiting');
	await at.settle();
	expect(keys(at.list)).toEqual([9000]);
	expect(at.asked.every(({filter}) => filter === 'kind:waiting')).toBe(true);
	at.port.searchApprovals = async () => {
		throw new Error('no such disk');
	};
	at.list.setFilter('server:none');
	await at.settle();
	expect(at.list.get().searched).toMatchObject({problem: 'no such disk'});
});

test('a list that ends before the journal does says how many it has, whatever is filtered', async () => {
	using at = manySettled(5600);
	at.list.move('last');
	await at.settle();
	await at.settle();
	expect(at.list.get().searched?.most).toBe(5000);
	expect(titleText(at.list)).toBe('the newest 5,000 of those done');
	expect(at.list.get().items.length).toBeLessThan(5600);

	using few = manySettled();
	few.list.move('last');
	await few.settle();
	expect(titleText(few.list)).toBe('');
});

test('groups that are done page to the very first, by the number of their run, below those that wait', async () => {
	const all = Array.from({length: count}, (_, index) =>
		makeGroup({id: index + 1, runId: index + 5001, state: 'dispatched', dispatchedAt: index}),
	);
	const port = createFakePort({
		groups: [makeGroup({id: 9000}), ...all.slice(-limits.dispatchedGroups).toReversed()],
	});
	port.searchGroups = async page => stepOf(all, ({runId = 0}) => runId, page);
	using at = open('groups', port);
	await at.walk('page-down', '1');
	expect(at.list.get().items).toHaveLength(count + 1);
	await at.walk('page-up', '9000');
});
