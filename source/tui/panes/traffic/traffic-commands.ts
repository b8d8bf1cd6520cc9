import {originalOf} from '../../../nouns/delivery/delivery-word.ts';
import {deliveryNoun} from '../../../nouns/delivery/delivery.ts';
import {editableBody} from '../../../nouns/delivery/edited-body.ts';
import {literal} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToDelivery, goToGroupOrRun, goToRun} from '../../acts/go-to.ts';
import {placeNow} from '../../acts/place.ts';
import {
	deliveryList,
	nothingSelected,
	selectedDelivery,
	stored,
} from '../../entries/delivery-list.ts';
import {copyOf} from '../../nouns/copy-of.ts';
import {payloadCommands} from './payload-commands.ts';
import {replayCommands} from './replay.ts';
import {noRoute, testableRoutes, testCommand} from './send-event.ts';

/** Commands of pane 1. */
export const trafficCommands: readonly PaneCommand[] = [
	...replayCommands,
	onKeys(['traffic.copy', 'y'], literal('copy'), {
		why: shell => (selectedDelivery(shell) ? undefined : noRoute(shell)),
		run(shell) {
			const row = shell.list(deliveryList).selected();
			const [route] = testableRoutes(shell);
			if (row) {
				copyOf(shell, deliveryNoun, row);
			} else if (route) {
				// What helps when nothing came yet: a line that sends a first event.
				shell.attempt(async () => {
					await copyText(shell, await shell.port.curlLine(route.name), literal('signed curl line'));
				});
			}
		},
	}),
	testCommand,
	...payloadCommands,
	onKeys(['traffic.pager', 'e'], literal('payload in $PAGER'), {
		quiet: true,
		why: nothingSelected,
		run(shell) {
			const isStillHere = placeNow(shell, literal('e'));
			shell.attempt(async () => {
				const delivery = await stored(shell, selectedDelivery(shell));
				if (delivery && isStillHere(literal('The pager was not opened'))) {
					await shell.desktop.page(editableBody(delivery).text);
				}
			});
		},
	}),
	onKeys(['traffic.run', 'o'], literal('its run or group, or what it repeats'), {
		quiet: true,
		why(shell) {
			const delivery = selectedDelivery(shell);
			const leads = delivery?.runId ?? delivery?.group ?? (delivery && originalOf(delivery));
			return leads === undefined ? literal('It started no run') : undefined;
		},
		run(shell) {
			const delivery = selectedDelivery(shell);
			const {runId, group} = delivery ?? {};
			const holder = delivery && originalOf(delivery);
			if (runId !== undefined) {
				goToRun(shell, runId);
			} else if (group !== undefined) {
				goToGroupOrRun(shell, group);
			} else if (holder !== undefined) {
				goToDelivery(shell, holder);
			}
		},
	}),
];
