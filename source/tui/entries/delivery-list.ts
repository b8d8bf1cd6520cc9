import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import {deliveryVocabulary} from '../../core/filter/delivery-vocabulary.ts';
import {numberOfId, timeOfNumber} from '../../core/ids.ts';
import {deliveryRows} from '../../core/reduce-deliveries.ts';
import type {DeliveryRow} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource, type LoadSource} from '../state/source.ts';

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

/** Deliveries with what was received; the key is their id. */
export const storedDeliveries: LoadSource<StoredDelivery> = {
	load: async (port, key) => port.getDelivery(key),
};

/** The delivery of the selected row; of a flood the newest. */
export const selectedDelivery = (shell: Shell): Delivery | undefined =>
	shell.list(deliveryList).selected()?.delivery;

/** Why nothing can be done with a delivery. */
export const nothingSelected = (shell: Shell): Safe | undefined =>
	selectedDelivery(shell) ? undefined : literal('No delivery is selected');

/** What was received; says so when it is gone. */
export async function stored(
	shell: Shell,
	delivery: Delivery | undefined,
): Promise<StoredDelivery | undefined> {
	const found = delivery && (await shell.port.getDelivery(delivery.id));
	if (!found) {
		shell.toast(literal('That delivery is no longer stored'), 'warn');
	}

	return found;
}
