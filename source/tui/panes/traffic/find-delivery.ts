import type {Delivery} from '../../../core/delivery.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {goToDelivery} from '../../acts/go-to.ts';
import {resultWord, shownId} from '../../entries/result-word.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';
import type {Destination, Found} from '../pane.ts';

/** The way to a delivery, as the palette says it. */
export const deliveryPlace = (shell: Shell, delivery: Delivery): Destination => ({
	label: safe`go to delivery ${shownId(delivery)} ${clean(delivery.route)} ${clean(resultWord(delivery))}`,
	place: literal('Traffic'),
	go() {
		goToDelivery(shell, delivery.id);
	},
});

/** As many characters of an ending as are shown, or the whole of an identifier. */
const idPattern = /^[0-9a-z]{6,11}$/;

/** The delivery whose identifier ends like this; what the state does not hold may be in the journal. */
export function findDelivery(shell: Shell, query: string): Found {
	if (!idPattern.test(query)) {
		return {};
	}

	const listed = shell.feed
		.get()
		.state.deliveries.findLast(({delivery}) => delivery.id.endsWith(query));
	return listed
		? {known: deliveryPlace(shell, listed.delivery)}
		: {
				guessed: {
					label: safe`look for delivery ${clean(query)} in the journal`,
					place: literal('Traffic'),
					go() {
						shell.attempt(async () => {
							const delivery = await shell.port.getDelivery(query);
							if (delivery) {
								goToDelivery(shell, delivery.id);
							} else {
								shell.toast(safe`The journal has no delivery ${clean(query)}`, 'warn');
							}
						});
					},
				},
			};
}
