import type {Delivery, DeliveryOutcome, StoredDelivery} from '../../core/delivery.ts';
import type {ReceiverAnswer} from '../../core/replay.ts';
import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';
import type {LoadSource} from '../state/source.ts';
import {answerWord} from './answer-word.ts';
import {deliveryList} from './delivery-list.ts';

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

/** What is refused before its sender is known, and within the rate, is kept without its body. */
const refusedUnread: ReadonlySet<DeliveryOutcome> = new Set([
	'route',
	'slip',
	'method',
	'size',
	'signature',
	'rate',
]);

/** Why a delivery cannot be sent once more, as far as it is known without asking the journal. */
export function nothingToReplay(shell: Shell): Safe | undefined {
	const delivery = selectedDelivery(shell);
	if (!delivery) {
		return nothingSelected(shell);
	}

	const loaded = shell.loader(storedDeliveries).get();
	const isGone =
		loaded.key === delivery.id &&
		(loaded.status === 'missing' || (loaded.status === 'ready' && !loaded.value.body));
	return isGone || refusedUnread.has(delivery.outcome)
		? literal('The payload of this delivery was not kept')
		: undefined;
}

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

/** What our own receiver answered. */
export const sayAnswer = (shell: Shell, {status, body}: ReceiverAnswer): void => {
	shell.toast(safe`Answered ${status} ${answerWord({body})}`, status < 400 ? 'good' : 'bad');
};
