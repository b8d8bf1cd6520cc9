import type {Delivery} from '../../../core/delivery.ts';
import {createMemory} from '../../../core/derive.ts';
import {routePath} from '../../../core/route-path.ts';
import {limits, type GatewayState} from '../../../core/state.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {resultWord, shownId, worksIn, originalOf} from '../../../nouns/delivery/delivery-word.ts';
import {deliveryNoun} from '../../../nouns/delivery/delivery.ts';
import {editableBody} from '../../../nouns/delivery/edited-body.ts';
import {runOf} from '../../../nouns/run/run-word.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToDelivery, goToGroupOrRun, goToRun} from '../../acts/go-to.ts';
import {placeNow} from '../../acts/place.ts';
import {
	noteSelection,
	deliveryList,
	storedDeliveries,
	nothingSelected,
	selectedDelivery,
	stored,
} from '../../entries/delivery-list.ts';
import {recent, newest} from '../../entries/lists.ts';
import {paceOf, type DetailSource} from '../../lines/detail.ts';
import type {Line} from '../../lines/line.ts';
import {countPart, followPart, searchedPart} from '../../lines/title-parts.ts';
import {copyOf} from '../../nouns/acts.ts';
import {listingOf, onePane} from '../../nouns/listing.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {Destination, Referent} from '../pane.ts';
import {payloadCommands} from './payload-commands.ts';
import {deliveryMarks, replayCommands} from './replay.ts';
import {noRoute, testableRoutes, testCommand} from './send-event.ts';
import {trafficDetail} from './traffic-detail.ts';

/** Commands of pane 1. */
const trafficCommands: readonly PaneCommand[] = [
	...replayCommands,
	onKeys(['traffic.copy', 'y'], literal('copy'), {
		why: shell => (selectedDelivery(shell) ? undefined : noRoute(shell)),
		run(shell) {
			const row = shell.list(deliveryList).selected();
			const [route] = testableRoutes(shell);
			if (row) {
				copyOf(shell, deliveryNoun, row);
			} else if (route) {
				// Without any delivery, copies a command that sends a first event.
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

function createTrafficDetail({list, loader, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const deliveries = list(deliveryList);
	const loads = loader(storedDeliveries);

	/** The selected delivery. While the list follows, the previous payload stays until the newest is loaded: a detail that follows shows content, not "loading". */
	const shownNow = () => {
		const row = deliveries.selected();
		const loaded = loads.get();
		const last = loads.last();
		const before =
			deliveries.get().isFollowing && loaded.status === 'loading' && last
				? feed.get().state.deliveries.findLast(({delivery}) => delivery.id === last.key)
				: undefined;
		return before && last ? {row: before, loaded: last} : {row, loaded};
	};

	return {
		lines(width) {
			const {row, loaded} = shownNow();
			const {runId, group: groupId} = row?.delivery ?? {};
			const {state} = feed.get();
			const run = runOf(state.runs, runId);
			const group = state.groups.find(other => other.id === groupId);
			const work = row && worksIn(state).workOf(row.delivery);
			return remember([row, loaded, run, work, group, width], () =>
				row ? trafficDetail(row, {loaded, run, work, group}, width) : [],
			);
		},
		want(isShown) {
			const row = isShown ? deliveries.selected() : undefined;
			loads.want(row?.delivery.id ?? '', paceOf(deliveries, row?.delivery.bodyBytes));
		},
	};
}

/** The palette's entry for a delivery. */
const deliveryPlace = (shell: Shell, delivery: Delivery): Destination => ({
	label: safe`go to delivery ${shownId(delivery)} ${escapeLine(delivery.route)} ${escapeLine(resultWord(delivery))}`,
	go: () => goToDelivery(shell, delivery.id),
});

/** The end of an identifier, at least as long as the one displayed, or a whole identifier. */
const idPattern = /^[0-9a-z]{6,11}$/;

/** The delivery whose identifier ends with the query; one missing from the state may be in the journal. */
function findDelivery(shell: Shell, query: string): Referent {
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
					label: safe`look for delivery ${escapeLine(query)} in the journal`,
					go: () =>
						shell.attempt(async () => {
							const delivery = await shell.port.getDelivery(query);
							if (delivery) {
								goToDelivery(shell, delivery.id);
							} else {
								shell.toast(safe`The journal has no delivery ${escapeLine(query)}`, 'warn');
							}
						}),
				},
			};
}

const destinations = (shell: Shell): readonly Destination[] =>
	newest(shell.feed.get().state.deliveries, recent).map(({delivery}) =>
		deliveryPlace(shell, delivery),
	);

/** Why nothing was received, and what to do, by the receiver's state. */
function noTraffic({webhook, routes}: GatewayState): readonly string[] {
	switch (webhook.state) {
		case 'starting':
			return ['◐ The receiver is starting.', 'Deliveries appear here as they come.'];
		case 'refused':
			return [
				'No deliveries: the receiver is not running.',
				`Why: ${webhook.reason}`,
				'Mend the cause, then press r to try again.',
			];
		case 'disabled':
			return [
				'No deliveries: the webhook receiver is switched off.',
				'Set platforms.webhook.enabled: true in config.yaml, or run `svc gateway setup`.',
			];
		case 'closed':
			return ['No deliveries: the receiver is closed.', 'The gateway is stopping or has stopped.'];
		case 'listening': {
			const route = routes.find(({problem}) => problem === undefined);
			return route === undefined
				? [
						'No deliveries yet, and no route to send them to.',
						'Add one: `svc webhook subscribe NAME --prompt "…"`',
					]
				: [
						'No deliveries yet.',
						`POST to ${webhook.url.replace(/\/$/, '')}${routePath(route)}`,
						'y copies a signed curl line, T sends a test event.',
					];
		}
	}
}

/** Requests received over HTTP, and their outcome. */
export const trafficPane = onePane({
	id: 'traffic',
	title: literal('Traffic'),
	short: literal('Traf'),
	manual: 'receiver',
	empty: noTraffic,
	commands: trafficCommands,
	listing: listingOf({
		noun: deliveryNoun,
		list: deliveryList,
		known: ({feed}) => worksIn(feed.get().state),
		isLive: true,
		marks: deliveryMarks,
		detail: createTrafficDetail,
		hasCursor: true,
	}),
	summary({list}) {
		const deliveries = list(deliveryList);
		return [
			countPart(deliveries, {limit: limits.deliveries}),
			searchedPart(deliveries),
			followPart(deliveries),
		];
	},
	want(host) {
		// Only a row on the screen can have been chosen.
		if (host.pane().id === deliveryList.id) {
			noteSelection(host, host.list(deliveryList));
		}
	},
	destinations,
	find: findDelivery,
});
