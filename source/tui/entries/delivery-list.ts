import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import {numberOfId, timeOfNumber} from '../../core/ids.ts';
import {deliveryRows} from '../../core/reduce-deliveries.ts';
import type {Safe} from '../../core/untrusted.ts';
import {deliveryNoun} from '../../nouns/delivery/delivery.ts';
import {literal} from '../../terminal/text/safe.ts';
import {atNewest} from '../list/window.ts';
import type {Host, Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
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

/** How long a row has to stand under the cursor before a key is taken to mean it, milliseconds: a finger that is on its way cannot be called back. */
export const settledMs = 500;

/** The row under the cursor of each list, and since when, by the monotonic clock. */
const known = new WeakMap<AnyList, {readonly key: string | undefined; readonly since: number}>();

/** Remembers since when the row under the cursor of `list` is there; to be told of every change of what is shown. */
export function noteSelection({clock}: Host, list: AnyList): void {
	const key = list.selectedKey();
	const before = known.get(list);
	if (!before || before.key !== key) {
		known.set(list, {key, since: clock.monotonic()});
	}
}

/** Whether the row under the cursor was chosen: the list stands still, and the row has been there for `steadyMs`. */
export function isSettled({clock}: Shell, list: AnyList): boolean {
	const row = known.get(list);
	return (
		!list.get().isFollowing &&
		row !== undefined &&
		row.key === list.selectedKey() &&
		clock.monotonic() - row.since >= settledMs
	);
}
