import type {DeliveryRow} from '../../../core/state.ts';
import {rowsBelow, type ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';
import {trafficVocabulary} from './traffic-filter.ts';

/** What was received, as far as the state holds it. */
export const deliveryList: ListSource<List<DeliveryRow>> = {
	id: 'traffic',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: row => row.key,
			vocabulary: trafficVocabulary,
			read: state => state.deliveries,
			height: rowsBelow(host, 1),
			filter,
		}),
};
