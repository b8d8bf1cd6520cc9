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
