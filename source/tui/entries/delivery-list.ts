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

/** The deliveries that the state holds, the newest at the bottom. */
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

/** Loads a delivery with its payload; the key is its id. */
export const storedDeliveries: LoadSource<StoredDelivery> = {
	load: async (port, key) => port.getDelivery(key),
};

/** The delivery of the selected row; for a flood the newest one. */
export const selectedDelivery = (shell: Shell): Delivery | undefined =>
	shell.list(deliveryList).selected()?.delivery;

/** Why no command can act on a delivery. */
export const nothingSelected = (shell: Shell): Safe | undefined =>
	selectedDelivery(shell) ? undefined : literal('No delivery is selected');

/** Loads a delivery with its payload; shows a message if it is no longer stored. */
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

/** How long a row must have been selected before a key acts on it, in milliseconds: a key press that has begun cannot be stopped when rows move. */
export const settledMs = 500;

/** The selected row of each list, and since when (monotonic clock). */
const known = new WeakMap<AnyList, {readonly key: string | undefined; readonly since: number}>();

/** Notes when another row of `list` becomes selected; call on every change of the view. */
export function noteSelection({clock}: Host, list: AnyList): void {
	const key = list.selectedKey();
	const before = known.get(list);
	if (!before || before.key !== key) {
		known.set(list, {key, since: clock.monotonic()});
	}
}

/** Whether the selected row was chosen: the list does not follow, and the selection has not changed for `settledMs`. */
export function isSettled({clock}: Shell, list: AnyList): boolean {
	const row = known.get(list);
	return (
		!list.get().isFollowing &&
		row !== undefined &&
		row.key === list.selectedKey() &&
		clock.monotonic() - row.since >= settledMs
	);
}
