import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import {numberOfId, timeOfNumber} from '../../core/ids.ts';
import {deliveryRows} from '../../core/reduce-deliveries.ts';
import type {Safe} from '../../core/untrusted.ts';
import {deliveryNoun} from '../../nouns/delivery/delivery.ts';
import {literal} from '../../terminal/text/safe.ts';
import {atNewest} from '../list/window.ts';
import type {Shell} from '../shell/shell.ts';
import {nounList, type LoadSource} from '../state/source.ts';

/** What was received, as far as the state holds it, the newest below. */
export const deliveryList = nounList('traffic', deliveryNoun, {
	read: ({deliveries}) => deliveries,
	more: host => ({
		position: atNewest,
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
	}),
});

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
