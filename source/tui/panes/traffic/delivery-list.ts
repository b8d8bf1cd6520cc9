import {deliveryVocabulary} from '../../../core/filter/delivery-vocabulary.ts';
import type {DeliveryRow} from '../../../core/state.ts';
import {rowsBelow, type ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';

/** What was received, as far as the state holds it. */
export const deliveryList: ListSource<List<DeliveryRow>> = {
	id: 'traffic',
	open: (host, filter) =>
		createList<DeliveryRow>(host.feed, {
			keyOf: row => row.key,
			vocabulary: deliveryVocabulary,
			read: state => state.deliveries,
			height: rowsBelow(host, 1),
			filter,
		}),
};
