import type {RouteView} from '../../../core/config-view.ts';
import type {StoredDelivery} from '../../../core/delivery.ts';
import {defaultPort} from '../../../core/loopback.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToDelivery, goToGroupOrRun, goToRun} from '../../acts/go-to.ts';
import {placeNow} from '../../acts/place.ts';
import {openMenu} from '../../dialogs/questions.ts';
import type {MenuItem} from '../../dialogs/questions.ts';
import {
	nothingSelected,
	sayAnswer,
	selectedDelivery,
	stored,
} from '../../entries/selected-delivery.ts';
import type {Shell} from '../../shell/shell.ts';
import {chooseRoute, servedRoutes} from './choose-route.ts';
import {
	bodyText,
	curlText,
	decisionText,
	headersText,
	jsonText,
	subscribeText,
} from './copy-texts.ts';
import {duplicateOf} from './duplicate-of.ts';
import {indented} from './edited-body.ts';
import {payloadCommands} from './payload-commands.ts';
import {replayCommands} from './replay.ts';

/** The address of the receiver, without a slash at the end. */
export function receiverUrl(shell: Shell): string {
	const {webhook} = shell.feed.get().state;
	return webhook.state === 'listening'
		? (/^https?:\/\/[^/]+/.exec(webhook.url)?.[0] ?? webhook.url)
		: `http://127.0.0.1:${defaultPort}`;
}

function copyMenu(shell: Shell): void {
	// What was selected when the menu opened: a list that follows goes on meanwhile.
	const chosen = selectedDelivery(shell);
	const entry = (
		key: string,
		label: Safe,
		text: (delivery: StoredDelivery) => string,
	): MenuItem => ({
		key,
		label,
		run() {
			shell.attempt(async () => {
				const delivery = await stored(shell, chosen);
				if (delivery) {
					await copyText(shell, text(delivery), label);
				}
			});
		},
	});
	const items = [
		entry('b', literal('body'), bodyText),
		entry('h', literal('headers, secrets masked'), headersText),
		entry('c', literal('curl line, signature as $SIG'), delivery =>
			curlText(delivery, receiverUrl(shell)),
		),
		entry('i', literal('delivery id'), ({id}) => id),
		entry('d', literal('decision trace'), decisionText),
		entry('j', literal('JSON line'), jsonText),
		entry('s', literal('`svc webhook subscribe` line for such events'), subscribeText),
	];
	openMenu(shell, {title: literal('Copy'), items});
}

/** Routes that a test event can be sent to: only the selected one where there is one. */
function testableRoutes(shell: Shell): readonly RouteView[] {
	const served = servedRoutes(shell);
	const name = selectedDelivery(shell)?.route;
	const same = served.find(route => route.name === name);
	return same ? [same] : served;
}

/** Sends a signed event through the gateway's own port. */
export function sendTest(shell: Shell, route: string): void {
	shell.attempt(async () => {
		sayAnswer(shell, await shell.port.sendTestEvent(route));
	});
}

function chooseTestRoute(shell: Shell): void {
	const routes = testableRoutes(shell);
	const [only] = routes;
	if (routes.length === 1 && only) {
		sendTest(shell, only.name);
		return;
	}

	chooseRoute(shell, {
		title: literal('Send a test event to'),
		routes,
		choose(route) {
			sendTest(shell, route);
		},
	});
}

const noRoute = (shell: Shell): Safe | undefined =>
	testableRoutes(shell).length === 0
		? literal('No route is served: add one with `svc webhook subscribe`')
		: undefined;

/** What helps when nothing came yet: a line that sends a first event. */
function copySignedCurl(shell: Shell): void {
	const [route] = testableRoutes(shell);
	if (route) {
		shell.attempt(async () => {
			await copyText(shell, await shell.port.curlLine(route.name), literal('signed curl line'));
		});
	}
}

/** Commands of pane 1. */
export const trafficCommands: readonly PaneCommand[] = [
	...replayCommands,
	{
		id: 'traffic.copy',
		keys: ['y'],
		label: literal('copy'),
		why: shell => (selectedDelivery(shell) ? undefined : noRoute(shell)),
		run(shell) {
			if (selectedDelivery(shell)) {
				copyMenu(shell);
			} else {
				copySignedCurl(shell);
			}
		},
	},
	{
		id: 'traffic.test',
		changes: true,
		keys: ['T'],
		label: literal('test event'),
		quiet: shell => selectedDelivery(shell) !== undefined,
		why: noRoute,
		run: chooseTestRoute,
	},
	...payloadCommands,
	{
		id: 'traffic.pager',
		keys: ['e'],
		label: literal('payload in $PAGER'),
		quiet: true,
		why: nothingSelected,
		run(shell) {
			const isStillHere = placeNow(shell, literal('e'));
			shell.attempt(async () => {
				const delivery = await stored(shell, selectedDelivery(shell));
				if (delivery && isStillHere(literal('The pager was not opened'))) {
					await shell.desktop.page(indented(delivery));
				}
			});
		},
	},
	{
		id: 'traffic.run',
		keys: ['o'],
		label: literal('its run or group, or what it repeats'),
		quiet: true,
		why(shell) {
			const delivery = selectedDelivery(shell);
			const leads = delivery?.runId ?? delivery?.group ?? (delivery && duplicateOf(delivery));
			return leads === undefined ? literal('It started no run') : undefined;
		},
		run(shell) {
			const delivery = selectedDelivery(shell);
			const {runId, group} = delivery ?? {};
			const holder = delivery && duplicateOf(delivery);
			if (runId !== undefined) {
				goToRun(shell, runId);
			} else if (group !== undefined) {
				goToGroupOrRun(shell, group);
			} else if (holder !== undefined) {
				goToDelivery(shell, holder);
			}
		},
	},
];
