import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {ReplayOptions} from '../../gateway/port.ts';
import {clean} from '../panes/line.ts';
import type {Shell} from '../shell/shell.ts';
import {own, ui} from '../text/safe.ts';
import {shownId} from '../traffic/result-word.ts';
import {chooseRoute, servedRoutes} from './choose-route.ts';
import type {Command} from './command.ts';
import {change} from './navigate.ts';
import {placeNow, type StillHere} from './place.ts';
import {
	indented,
	nothingSelected,
	sayAnswer,
	selectedDelivery,
	stored,
} from './selected-delivery.ts';

/** Replays at once when nothing but the log would change, else says what it does and asks. What was edited is always asked for. */
async function replay(
	shell: Shell,
	delivery: Delivery,
	{isStillHere, ...options}: ReplayOptions & {readonly isStillHere: StillHere},
): Promise<void> {
	const send = () => {
		shell.attempt(async () => {
			sayAnswer(shell, await shell.port.replay(delivery.id, options));
		});
	};

	const plan = await shell.port.planReplay(delivery.id, options);
	if (!plan.needsConfirmation && options.body === undefined) {
		send();
		return;
	}

	if (!isStillHere(own('Replay was not asked'))) {
		return;
	}

	change(shell, {
		overlay: {
			kind: 'confirm',
			title: ui`Replay ${shownId(delivery)} to ${clean(plan.route)}`,
			lines: [
				...(options.body === undefined ? [] : [own('With the body as it was edited.')]),
				...(plan.effects.length === 0
					? [own('Nothing but the log changes.')]
					: plan.effects.map(effect => clean(effect))),
			],
			act: own('replay'),
			run: send,
			...(otherRoutes(shell, plan.route).length > 0 && {
				other: {
					label: own('to another route'),
					run() {
						replayElsewhere(shell, delivery, {...options, route: plan.route});
					},
				},
			}),
		},
	});
}

/** `options.route` is the one that it is not sent to. */
function replayElsewhere(shell: Shell, delivery: Delivery, options: ReplayOptions): void {
	const {route, ...rest} = options;
	chooseRoute(shell, {
		title: ui`Replay ${shownId(delivery)} to`,
		routes: otherRoutes(shell, route ?? delivery.route),
		choose(chosen) {
			const isStillHere = placeNow(shell, own('t'));
			shell.attempt(async () => replay(shell, delivery, {...rest, route: chosen, isStillHere}));
		},
	});
}

const otherRoutes = (shell: Shell, name: string) =>
	servedRoutes(shell).filter(route => route.name !== name);

async function editAndReplay(shell: Shell): Promise<void> {
	const isStillHere = placeNow(shell, own('R'));
	const delivery: StoredDelivery | undefined = await stored(shell, selectedDelivery(shell));
	if (!delivery || !isStillHere(own('The editor was not opened'))) {
		return;
	}

	const body = await shell.desktop.edit(indented(delivery), '.json');
	if (body === undefined) {
		shell.toast(own('Nothing was changed, nothing is sent'));
		return;
	}

	await replay(shell, delivery, {body, isStillHere: placeNow(shell, own('R'))});
}

function noOtherRoute(shell: Shell): Safe | undefined {
	const reason = nothingSelected(shell);
	if (reason !== undefined) {
		return reason;
	}

	return otherRoutes(shell, selectedDelivery(shell)?.route ?? '').length === 0
		? own('There is no other route')
		: undefined;
}

/** Commands that send a delivery once more. */
export const replayCommands: readonly Command[] = [
	{
		id: 'traffic.replay',
		scope: 'traffic',
		keys: ['r'],
		label: own('replay'),
		why: nothingSelected,
		run(shell) {
			const delivery = selectedDelivery(shell);
			if (delivery) {
				const isStillHere = placeNow(shell, own('r'));
				shell.attempt(async () => replay(shell, delivery, {isStillHere}));
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
		id: 'traffic.replay-to',
		scope: 'traffic',
		keys: ['t'],
		label: own('replay to another route'),
		quiet: true,
		why: noOtherRoute,
		run(shell) {
			const delivery = selectedDelivery(shell);
			if (delivery) {
				replayElsewhere(shell, delivery, {});
			}
		},
	},
];
