import {once} from 'node:events';
import {expect, test} from 'vitest';
import {parseFilter} from '../../../source/core/filter/filter.ts';
import {runVocabulary} from '../../../source/core/filter/vocabularies.ts';
import type {Run} from '../../../source/core/run.ts';
import {filteredLines} from '../../../source/tui/lines/empty.ts';
import {countPart, followPart} from '../../../source/tui/lines/title-parts.ts';
import {createFeed} from '../../../source/tui/state/feed.ts';
import {createList, type AnyList} from '../../../source/tui/state/list.ts';
import type {PageQuestion} from '../../../source/tui/state/loaded-pages.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeRun} from '../../helpers/make.ts';

const height = 20;

const isAtWork = ({state}: Run) => state === 'running';

/** A list of runs of which the state has the newest `kept`, and one that is `atWork`, and a journal that has all and looks at 1,000 in a step. */
function newList({
	count = 12_000,
	kept = 200,
	atWork,
}: {count?: number; kept?: number; atWork?: number} = {}) {
	const all = Array.from({length: count}, (_, index) =>
		makeRun({
			id: index + 1,
			route: index === 41 ? 'rare' : 'usual',
			state: index + 1 === atWork ? 'running' : 'queued',
		}),
	);
	const inState = () => [...all.slice(0, -kept).filter(isAtWork), ...all.slice(-kept)];
	const asked: PageQuestion[] = [];
	const fails: {reason?: string | undefined} = {};
	/** Questions that get no answer. */
	const held = {isOn: false, signals: [] as AbortSignal[]};
	const journal = () => ({deliveries: 0, runs: all.length, runsToDecide: 0});
	const port = createFakePort({runs: inState(), journal: journal()});
	const clock = createFakeClock();
	const feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000}));
	const list = createList<Run>(feed, {
		keyOf: run => String(run.id),
		vocabulary: runVocabulary,
		read: state => state.runs,
		height: () => height,
		isOnTop: isAtWork,
		history: {
			isShown: () => true,
			olderAt: 'start',
			clock,
			async ask(question, hungUp) {
				asked.push(question);
				if (fails.reason !== undefined) {
					throw new Error(fails.reason);
				}

				if (held.isOn) {
					held.signals.push(hungUp);
					await once(hungUp, 'abort');
				}

				const {before = Infinity, after, limit, filter} = question;
				const {matches} = parseFilter(filter, runVocabulary);
				const way =
					after === undefined
						? all.filter(({id}) => id < before).slice(-1000)
						: all.filter(({id}) => id > after).slice(0, 1000);
				const hits = way.filter(run => matches(run, 0));
				const items = after === undefined ? hits.slice(-limit) : hits.slice(0, limit);
				const isCut = hits.length > items.length;
				const edge = after === undefined ? way[0] : way.at(-1);
				const met = after === undefined ? items[0] : items.at(-1);
				const searchedTo = isCut ? met?.id : edge?.id;
				const isOver = !isCut && way.length < 1000;
				const inOrder = after === undefined ? items.toReversed() : items;
				return {items: inOrder, scanned: way.length, ...(!isOver && searchedTo && {searchedTo})};
			},
			cursorOf: Number,
			wholeFrom: state => state.runs.find(run => !isAtWork(run))?.id,
			total: state => state.journal?.runs,
		},
	});
	return {
		list,
		asked,
		fails,
		held,
		clock,
		all,
		/** Lets what was asked for come in. */
		async settle() {
			for (let last = -1; last !== asked.length;) {
				last = asked.length;
				// oxlint-disable-next-line no-await-in-loop -- each answer may lead to a question
				await new Promise(resolve => {
					setImmediate(resolve);
				});
			}
		},
		/** More runs come in; the state keeps the newest. */
		grow(by: number) {
			const first = all.length + 1;
			all.push(
				...Array.from({length: by}, (_, index) => makeRun({id: first + index, route: 'new'})),
			);
			port.change({runs: inState(), journal: journal()});
			clock.advance(100);
		},
		[Symbol.dispose]() {
			feed[Symbol.dispose]();
		},
	};
}

/** What the body says, row by row. */
const text = (list: AnyList) =>
	filteredLines(list, 100)
		.map(row => row.map(part => part.text).join(''))
		.join('|');

const ids = (runs: readonly Run[]) => runs.map(({id}) => id);

/** Whether the items follow each other without a gap. */
const isWhole = (runs: readonly Run[]) =>
	ids(runs).every((id, index) => index === 0 || id === (runs[index - 1]?.id ?? 0) + 1);

test('pages lead back to the very first of 12,000 rows and forth again, with a bounded number in memory', async () => {
	using at = newList();
	for (let step = 0; step < 700 && at.list.selected()?.id !== 1; step++) {
		at.list.move('page-up');
		// oxlint-disable-next-line no-await-in-loop -- a person waits for what comes
		await at.settle();
		expect(isWhole(at.list.get().items)).toBe(true);
		expect(at.list.get().items.length).toBeLessThanOrEqual(5400);
	}

	expect(at.list.selected()?.id).toBe(1);
	for (let step = 0; step < 700 && at.list.selected()?.id !== 12_000; step++) {
		at.list.move('page-down');
		// oxlint-disable-next-line no-await-in-loop -- the same
		await at.settle();
		expect(isWhole(at.list.get().items)).toBe(true);
	}

	expect(at.list.selected()?.id).toBe(12_000);
});

test('a run at work that is older than what the state has stands on top, once, wherever the pages lead', async () => {
	using at = newList({atWork: 11_000});
	expect(at.list.selected()?.id).toBe(11_000);
	expect(ids(at.list.shown()).slice(-3)).toEqual([11_999, 12_000, 11_000]);
	at.list.move('pause');
	at.grow(3);
	expect(at.list.get().window.newer).toBe(3);
	for (let step = 0; step < 100; step++) {
		at.list.move('page-up');
		// oxlint-disable-next-line no-await-in-loop -- a person waits for what comes
		await at.settle();
		const {items} = at.list.get();
		expect(new Set(ids(items)).size).toBe(items.length);
		expect(items.at(-1)?.id).toBe(11_000);
	}

	expect(at.list.selected()?.id).toBeLessThan(11_000);
	at.list.move('follow');
	await at.settle();
	expect(at.list.selected()?.id).toBe(11_000);
	await expect(at.list.find('42')).resolves.toBe(true);
	expect(at.list.get().items.at(-1)?.id).not.toBe(11_000);
});

test('what is on the screen stays while pages come in above and new rows below, also when the state lets go of what followed', async () => {
	using at = newList();
	for (let step = 0; step < 30; step++) {
		at.list.move('page-up');
		// oxlint-disable-next-line no-await-in-loop -- a person waits for what comes
		await at.settle();
	}

	const before = ids(at.list.shown());
	at.grow(1500);
	await at.settle();
	expect(ids(at.list.shown())).toEqual(before);
	expect(at.list.get().window.newer).toBeGreaterThan(0);
	at.list.move('last');
	await at.settle();
	expect(at.list.selected()?.id).toBe(13_500);
});

test('the oldest are one key away, and following leads back', async () => {
	using at = newList();
	at.list.move('first');
	await at.settle();
	expect(at.list.selected()?.id).toBe(1);
	expect(at.list.get().items.length).toBeLessThan(1000);
	at.list.move('follow');
	expect(at.list.selected()?.id).toBe(12_000);
	expect(at.list.get().isFollowing).toBe(true);
});

test('a filter finds what lies long ago, and says how far it has looked', async () => {
	using at = newList();
	at.list.setFilter('route:rare');
	await at.settle();
	expect(ids(at.list.get().items)).toEqual([42]);
	expect(at.list.get().searched).toMatchObject({isWhole: true, rows: 12_000});
	expect(at.list.get().total).toBe(12_000);
});

test('what the state has of old is looked at in the journal alone: no more was searched than there is', async () => {
	using at = newList({count: 2000, atWork: 900});
	at.list.setFilter('route:nowhere');
	await at.settle();
	expect(at.list.get().searched).toMatchObject({isWhole: true, rows: 2000});
});

test('another filter ends the search of the last one', async () => {
	using at = newList();
	at.list.setFilter('route:rare');
	at.list.setFilter('');
	await at.settle();
	expect(isWhole(at.list.get().items)).toBe(true);
	expect(at.asked.filter(({filter}) => filter !== '').length).toBeLessThanOrEqual(1);
});

test('an item that only the journal has can be gone to', async () => {
	using at = newList();
	expect(await at.list.find('600')).toBe(true);
	expect(at.list.selected()?.id).toBe(600);
	expect(await at.list.find('99999')).toBe(false);
	at.list.move('follow');
	expect(at.list.selected()?.id).toBe(12_000);
});

test('nothing is asked while a list follows and the state has enough', async () => {
	using at = newList();
	at.grow(10);
	await at.settle();
	expect(at.asked).toEqual([]);
	expect(at.list.selected()?.id).toBe(12_010);
});

test('a question for a filter that another has replaced is hung up on, so that fast typing leaves one', async () => {
	using at = newList();
	at.held.isOn = true;
	for (const words of ['ra', 'rar', 'rare', 'route:rar', 'route:rare']) {
		at.list.setFilter(words);
	}

	expect(at.held.signals.map(({aborted}) => aborted)).toEqual([true, true, true, true, false]);
	at.list.end();
	expect(at.held.signals.at(-1)?.aborted).toBe(true);
});

test('a search that failed says why, is tried again by itself, each time later, and says no more that it failed', async () => {
	using at = newList();
	at.fails.reason = '16 searches wait already';
	at.list.setFilter('route:rare');
	await at.settle();
	expect(at.list.get()).toMatchObject({isWhole: false, searched: {problem: at.fails.reason}});
	expect(text(at.list)).toBe(
		'16 searches wait already|It is tried again by itself. Esc clears the filter, / changes it.',
	);
	expect(at.asked.length).toBe(1);
	at.clock.advance(1000);
	await at.settle();
	expect(at.asked.length).toBe(2);
	at.clock.advance(1000);
	await at.settle();
	expect(at.asked.length).toBe(2);

	at.fails.reason = undefined;
	at.clock.advance(1000);
	await at.settle();
	expect(ids(at.list.get().items)).toEqual([42]);
	expect(at.list.get().searched?.problem).toBeUndefined();
});

test('nothing passes is said when everything was looked at, until then how far', async () => {
	using at = newList();
	at.held.isOn = true;
	at.list.setFilter('route:nowhere');
	expect(text(at.list)).toBe('searching…|searched · 200 of 12,000|Esc clears it, / changes it.');
	at.held.isOn = false;
	at.list.setFilter('route:nobody');
	for (let turn = 0; turn < 8; turn++) {
		// oxlint-disable-next-line no-await-in-loop -- an answer each
		await Promise.resolve();
	}

	expect(text(at.list)).toMatch(/^searching…\|searched · [\d,]+ of 12,000\|/);
	await at.settle();
	expect(text(at.list)).toBe('Nothing passes the filter.|Esc clears it, / changes it.');
});

test('the oldest that cannot be read is no end of it', async () => {
	using at = newList();
	at.fails.reason = 'the store is closed';
	at.list.move('first');
	await at.settle();
	expect(at.list.get().searched?.problem).toBe(at.fails.reason);
	at.fails.reason = undefined;
	at.clock.advance(1000);
	at.list.move('first');
	await at.settle();
	expect(at.list.selected()?.id).toBe(1);
});

const title = (list: AnyList) =>
	[...countPart(list), ...followPart(list)].map(part => part.text).join(' · ');

test('until everything was looked at, what passes is counted as at least so many', async () => {
	using at = newList();
	at.held.isOn = true;
	at.list.setFilter('route:usual');
	expect(title(at.list)).toBe('200+ of 12,000 · following');
	at.grow(50);
	expect(title(at.list)).toBe('150+ of 12,050 · following');
	at.held.isOn = false;
	at.list.setFilter('route:rare');
	expect(title(at.list)).toMatch(/^0\+ of 12,050/);
	await at.settle();
	expect(title(at.list)).toBe('1 of 12,050 · following');
});

test('what came since is counted whole while it is known, and as at least so many when the state has let go of some', async () => {
	using at = newList();
	at.list.move('page-up');
	await at.settle();
	at.grow(150);
	await at.settle();
	expect(title(at.list)).toBe('12,150 · paused · 150 newer, f to follow');
	at.grow(1148);
	await at.settle();
	expect(title(at.list)).toMatch(/^13,298 · paused · [\d,]+\+ newer, f to follow$/);
});

test('under a filter, what came since is what passes it', async () => {
	using at = newList();
	at.list.setFilter('route:usual');
	at.list.move('page-up');
	await at.settle();
	at.grow(50);
	await at.settle();
	expect(at.list.get().window).toMatchObject({newer: 0});
	at.list.setFilter('route:new');
	await at.settle();
	expect(at.list.get().window).toMatchObject({newer: 50});
	expect(at.list.get().window.isNewerCut).toBeFalsy();
});
