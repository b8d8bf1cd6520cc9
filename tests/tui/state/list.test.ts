import {expect, test} from 'vitest';
import {deliveryVocabulary} from '../../../source/core/filter/delivery-vocabulary.ts';
import type {DeliveryRow} from '../../../source/core/state.ts';
import {createFeed} from '../../../source/tui/state/feed.ts';
import {createList} from '../../../source/tui/state/list.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery} from '../../helpers/make.ts';

const rows = (count: number): readonly DeliveryRow[] =>
	Array.from({length: count}, (_, index) => {
		const delivery = makeDelivery({id: `id${index}`, route: `r${index % 10}`});
		return {key: delivery.id, delivery, count: 1};
	});

function newList({newestFirst = false} = {}) {
	const port = createFakePort({deliveries: rows(100)});
	const clock = createFakeClock();
	const feed = createFeed({port, clock}, () => ({intervalMs: 100, tickMs: 1000}));
	const list = createList<DeliveryRow>(feed, {
		keyOf: row => row.key,
		vocabulary: deliveryVocabulary,
		read: state => state.deliveries,
		height: () => 10,
		newestFirst,
	});
	return {port, clock, feed, list};
}

test('nothing is laid out again while nothing changed', () => {
	const {list} = newList();

	expect(list.get()).toBe(list.get());
});

test('a list that follows shows the newest rows', () => {
	const {list, feed} = newList();
	using _ = feed;

	expect(list.selected()?.key).toBe('id99');
	expect(list.shown().map(row => row.key)[0]).toBe('id90');
});

test('one step beyond the newest row follows again', () => {
	const {list, feed} = newList();
	using _ = feed;
	list.move('up');
	list.move('down');
	expect(list.get().isFollowing).toBe(false);
	list.move('down');

	expect(list.get().isFollowing).toBe(true);
});

test('newest first, the same keys move the same way on the screen', () => {
	const {list, feed} = newList({newestFirst: true});
	using _ = feed;
	expect(list.shown()[0]?.key).toBe('id99');
	list.move('down');
	expect(list.selected()?.key).toBe('id98');
	list.move('last');
	expect(list.selected()?.key).toBe('id0');
	list.move('first');

	expect(list.selected()?.key).toBe('id99');
});

test('what is on the screen stays while rows come in below', () => {
	const {list, feed, port, clock} = newList();
	using _ = feed;
	list.move('page-up');
	const before = list.shown();
	port.change({deliveries: [...port.getState().deliveries, ...rows(105).slice(100)]});
	clock.advance(100);

	expect(list.shown()).toEqual(before);
	expect(list.get().window.newer).toBe(5);
});

test('5,000 rows are filtered without a scan of more than the rows', () => {
	const {list, feed, port, clock} = newList();
	using _ = feed;
	port.change({deliveries: rows(5000)});
	clock.advance(100);
	list.setFilter('route:r3');

	expect(list.get().items.length).toBe(500);
	expect(list.get().total).toBe(5000);
});

test('select finds what passes the filter only', () => {
	const {list, feed} = newList();
	using _ = feed;
	list.setFilter('route:r3');

	expect(list.select('id13')).toBe(true);
	expect(list.selected()?.key).toBe('id13');
	expect(list.select('id14')).toBe(false);
});

const keysOf = (list: ReturnType<typeof newList>['list']) => list.shown().map(({key}) => key);

test('a filter that keeps the selected row out selects the nearest in time, which stays selected and in its place while others come', () => {
	const {list, feed, port, clock} = newList();
	using _ = feed;
	list.move('pause');
	for (let step = 0; step < 5; step++) {
		list.move('up');
	}

	expect(list.selected()?.key).toBe('id94');
	list.setFilter('route:r3');
	expect(list.selected()?.key).toBe('id93');
	expect(list.get().window.newer).toBe(0);
	const shown = keysOf(list);

	for (const count of [110, 200, 300]) {
		port.change({deliveries: rows(count)});
		clock.advance(100);
		expect(list.selected()?.key).toBe('id93');
		expect(keysOf(list)).toEqual(shown);
		expect(list.get().window.newer).toBe((count - 100) / 10);
	}

	// From one filter to another, each time from where the person was.
	list.setFilter('route:r8');
	expect(list.selected()?.key).toBe('id98');
	list.setFilter('route:nowhere');
	expect(list.selected()).toBeUndefined();
	list.setFilter('');
	expect(list.selected()?.key).toBe('id94');
	expect(list.get().isFollowing).toBe(false);
});

test('newest first, the nearest row stays selected just so', () => {
	const {list, feed, port, clock} = newList({newestFirst: true});
	using _ = feed;
	list.move('down');
	list.setFilter('route:r6');
	expect(list.selected()?.key).toBe('id96');
	const shown = keysOf(list);
	port.change({deliveries: rows(150)});
	clock.advance(100);
	expect(list.selected()?.key).toBe('id96');
	expect(keysOf(list)).toEqual(shown);
});

test('the nearest of a filter that lets nothing pass at first is the first that comes, and stays it', () => {
	const {list, feed, port, clock} = newList();
	using _ = feed;
	list.move('up');
	list.setFilter('route:late');
	const late = (count: number) =>
		rows(100 + count).map((row, index) =>
			index < 100 ? row : {...row, delivery: {...row.delivery, route: 'late'}},
		);
	for (const count of [1, 5, 20]) {
		port.change({deliveries: late(count)});
		clock.advance(100);
		expect(list.selected()?.key).toBe('id100');
	}
});
