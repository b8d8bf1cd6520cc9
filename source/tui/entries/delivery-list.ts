import {deliveryVocabulary} from '../../core/filter/delivery-vocabulary.ts';
import {numberOfId, timeOfNumber} from '../../core/ids.ts';
import {deliveryRows} from '../../core/reduce-deliveries.ts';
import type {DeliveryRow} from '../../core/state.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource} from '../state/source.ts';

/** What was received, as far as the state holds it. */
export const deliveryList: ListSource<List<DeliveryRow>> = {
	id: 'traffic',
	open: (host, filter) =>
		createList<DeliveryRow>(host.feed, {
			keyOf: row => row.key,
			vocabulary: deliveryVocabulary,
			read: state => state.deliveries,
			height: rowsBelow(host, 1),
			history: {
				clock: host.clock,
				isShown: () => host.pane().id === 'traffic',
				async ask(question, hungUp) {
					const {items, ...step} = await host.port.searchDeliveries(question, hungUp);
					const isUp = question.after !== undefined;
					const rows = deliveryRows(isUp ? items : items.toReversed());
					return {...step, items: isUp ? rows : rows.toReversed()};
				},
				olderAt: 'start',
				cursorOf: numberOfId,
				wholeFrom({wholeFrom, deliveries: [first]}) {
					const id = wholeFrom?.delivery ?? first?.key;
					return id === undefined ? undefined : numberOfId(id);
				},
				total: state => state.journal?.deliveries,
				timeOf: timeOfNumber,
			},
			filter,
		}),
};
