import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clean} from '../panes/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {MenuItem} from '../state/view.ts';
import {own, ui} from '../text/safe.ts';
import {bodyText, curlText, decisionText, headersText, jsonText} from '../traffic/copy-texts.ts';
import {shownId} from '../traffic/result-word.ts';
import type {Command} from './command.ts';
import {copyText} from './copy.ts';
import {change, goToRun} from './navigate.ts';
import {openMenu} from './overlay-state.ts';

const selected = (shell: Shell): Delivery | undefined => shell.lists.traffic.selected()?.delivery;

const nothingSelected = (shell: Shell): Safe | undefined =>
	selected(shell) ? undefined : own('No delivery is selected');

async function stored(
	shell: Shell,
	delivery: Delivery | undefined,
): Promise<StoredDelivery | undefined> {
	const found = delivery && (await shell.port.getDelivery(delivery.id));
	if (!found) {
		shell.toast(own('That delivery is no longer stored'), 'warn');
	}

	return found;
}

const sayAnswer = (shell: Shell, answer: {readonly status: number; readonly body: string}) => {
	shell.toast(
		ui`Answered ${answer.status} ${clean(answer.body)}`,
		answer.status < 400 ? 'good' : 'bad',
	);
};

/** Replays at once when nothing but the log would change, else says what it does and asks. */
async function replay(shell: Shell, delivery: Delivery, body?: string): Promise<void> {
	const send = () => {
		shell.attempt(async () => {
			sayAnswer(shell, await shell.port.replay(delivery.id, body === undefined ? {} : {body}));
		});
	};

	const plan = await shell.port.planReplay(delivery.id);
	if (!plan.needsConfirmation) {
		send();
		return;
	}

	change(shell, {
		overlay: {
			kind: 'confirm',
			title: ui`Replay ${shownId(delivery)} to ${clean(plan.route)}`,
			lines: [
				...(body === undefined ? [] : [own('With the body as it was edited.')]),
				...plan.effects.map(effect => clean(effect)),
			],
			act: own('replay'),
			run: send,
		},
	});
}

async function editAndReplay(shell: Shell): Promise<void> {
	const delivery = await stored(shell, selected(shell));
	if (!delivery) {
		return;
	}

	const body = await shell.desktop.edit(indented(delivery), '.json');
	if (body === undefined) {
		shell.toast(own('Nothing was changed, nothing is sent'));
		return;
	}

	await replay(shell, delivery, body);
}

/** JSON with line breaks, for a person to edit; anything else as it is. */
function indented({body}: StoredDelivery): string {
	const text = body ? new TextDecoder().decode(body) : '';
	try {
		return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
	} catch {
		return text;
	}
}

function receiverUrl(shell: Shell): string {
	const {webhook} = shell.feed.get().state;
	return webhook.state === 'listening'
		? (/^https?:\/\/[^/]+/.exec(webhook.url)?.[0] ?? webhook.url)
		: 'http://127.0.0.1:8644';
}

function copyMenu(shell: Shell): void {
	// What was selected when the menu opened: a list that follows goes on meanwhile.
	const chosen = selected(shell);
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
	openMenu(shell, own('Copy'), [
		entry('b', own('body'), bodyText),
		entry('h', own('headers, secrets masked'), headersText),
		entry('c', own('curl line, signature as $SIG'), delivery =>
			curlText(delivery, receiverUrl(shell)),
		),
		entry('i', own('delivery id'), ({id}) => id),
		entry('d', own('decision trace'), decisionText),
		entry('j', own('JSON line'), jsonText),
	]);
}

/** Routes that a test event can be sent to: the selected one first. */
function testableRoutes(shell: Shell): readonly string[] {
	const {routes} = shell.feed.get().state;
	const served = routes.filter(route => route.problem === undefined);
	const name = selected(shell)?.route;
	if (name !== undefined && served.some(route => route.name === name)) {
		return [name];
	}

	return served.map(route => route.name);
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
	if (routes.length === 1 && only !== undefined) {
		sendTest(shell, only);
		return;
	}

	openMenu(
		shell,
		own('Send a test event to'),
		routes.slice(0, 9).map((route, index) => ({
			key: String(index + 1),
			label: clean(route),
			run() {
				sendTest(shell, route);
			},
		})),
	);
}

const noRoute = (shell: Shell): Safe | undefined =>
	testableRoutes(shell).length === 0
		? own('No route is served: add one with `svc webhook subscribe`')
		: undefined;

/** What helps when nothing came yet: a line that sends a first event. */
function copySignedCurl(shell: Shell): void {
	const [route] = testableRoutes(shell);
	if (route !== undefined) {
		shell.attempt(async () => {
			await copyText(shell, await shell.port.curlLine(route), own('signed curl line'));
		});
	}
}

/** Commands of pane 1. */
export const trafficCommands: readonly Command[] = [
	{
		id: 'traffic.replay',
		scope: 'traffic',
		keys: ['r'],
		label: own('replay'),
		why: nothingSelected,
		run(shell) {
			const delivery = selected(shell);
			if (delivery) {
				shell.attempt(async () => replay(shell, delivery));
			}
		},
	},
	{
		id: 'traffic.edit-replay',
		scope: 'traffic',
		keys: ['R'],
		label: own('edit+replay'),
		why: nothingSelected,
		run(shell) {
			shell.attempt(async () => editAndReplay(shell));
		},
	},
	{
		id: 'traffic.copy',
		scope: 'traffic',
		keys: ['y'],
		label: own('copy'),
		why: shell => (selected(shell) ? undefined : noRoute(shell)),
		run(shell) {
			if (selected(shell)) {
				copyMenu(shell);
			} else {
				copySignedCurl(shell);
			}
		},
	},
	{
		id: 'traffic.test',
		scope: 'traffic',
		keys: ['T'],
		label: own('test event'),
		why: noRoute,
		run: chooseTestRoute,
	},
	{
		id: 'traffic.pager',
		scope: 'traffic',
		keys: ['e'],
		label: own('payload in $PAGER'),
		quiet: true,
		why: nothingSelected,
		run(shell) {
			shell.attempt(async () => {
				const delivery = await stored(shell, selected(shell));
				if (delivery) {
					await shell.desktop.page(indented(delivery));
				}
			});
		},
	},
	{
		id: 'traffic.run',
		scope: 'traffic',
		keys: ['o'],
		label: own('its run'),
		quiet: true,
		why: shell => (selected(shell)?.runId === undefined ? own('It started no run') : undefined),
		run(shell) {
			const id = selected(shell)?.runId;
			if (id !== undefined) {
				goToRun(shell, id);
			}
		},
	},
];
