import type {Delivery, StoredDelivery} from '../../../core/delivery.ts';
import {messageOf} from '../../../core/errors.ts';
import type {Safe} from '../../../core/untrusted.ts';
import type {ReplayPlan} from '../../../gateway/port.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {change} from '../../acts/navigate.ts';
import {placeNow, type StillHere} from '../../acts/place.ts';
import {isSteady} from '../../acts/steady-row.ts';
import {answerWord} from '../../entries/answer-word.ts';
import {deliveryList} from '../../entries/delivery-list.ts';
import {shownId} from '../../entries/result-word.ts';
import {nothingToReplay, selectedDelivery, stored} from '../../entries/selected-delivery.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';
import {deliveryMarkCommands, hasMarkedDeliveries, replayMarked} from './bulk-replay.ts';
import {chooseRoute, servedRoutes} from './choose-route.ts';
import {sendEditedBody, indented, keepBody} from './edited-body.ts';

/** What is to be sent once more. */
type Wish = {
	readonly delivery: Delivery;
	/** Name of another route. */
	readonly route?: string;
	/** What was edited, and what it was. */
	readonly edited?: {readonly body: string; readonly of: StoredDelivery};
	/** The list moved, so that another row may have been meant. */
	readonly isUnsure?: boolean;
};

const optionsOf = ({route, edited}: Wish) => ({
	...(route !== undefined && {route}),
	...(edited && {body: edited.body}),
});

/** Replays at once when nothing but the log would change, else says what it does and asks. What was edited, and what a moving list put under the cursor, is always asked for. */
async function replay(shell: Shell, wish: Wish, isStillHere: StillHere): Promise<void> {
	const {delivery, edited, isUnsure = false} = wish;
	const plan = await keeping(shell, wish, async () =>
		shell.port.planReplay(delivery.id, optionsOf(wish)),
	);
	if (!plan.needsConfirmation && !edited && !isUnsure) {
		await send(shell, wish, plan);
		return;
	}

	if (!isStillHere(literal('Replay was not asked'))) {
		await giveBack(shell, wish, literal('Replay was not asked'));
		return;
	}

	change(shell, {
		overlay: {
			kind: 'confirm',
			title: safe`Replay ${shownId(delivery)} to ${clean(plan.route)}`,
			lines: [
				rowWords(delivery),
				...(edited ? [literal('With the body as it was edited.')] : []),
				...(plan.effects.length === 0
					? [literal('Nothing but the log changes.')]
					: plan.effects.map(effect => clean(effect))),
			],
			act: literal('replay'),
			run() {
				shell.attempt(async () => send(shell, wish, plan));
			},
			...(otherRoutes(shell, plan.route).length > 0 && {
				other: {
					label: literal('to another route'),
					run() {
						replayElsewhere(shell, {...wish, route: plan.route});
					},
				},
			}),
		},
	});
}

/** Says what was done: also where nothing was asked, an agent may have been started. */
async function send(shell: Shell, wish: Wish, {route, effects}: ReplayPlan): Promise<void> {
	const {status, body} = await keeping(shell, wish, async () =>
		shell.port.replay(wish.delivery.id, optionsOf(wish)),
	);
	const did = status === 202 && effects.length > 0 ? clean(effects.join(', ')) : answerWord({body});
	const said = safe`Replayed ${shownId(wish.delivery)} to ${clean(route)} (${status}): ${did}`;
	if (status < 400) {
		shell.toast(said, 'good');
	} else if (!(await giveBack(shell, wish, said))) {
		shell.toast(said, 'bad');
	}
}

/** Does `act`; what was edited is kept when it fails. */
async function keeping<Result>(
	shell: Shell,
	wish: Wish,
	act: () => Promise<Result>,
): Promise<Result> {
	try {
		return await act();
	} catch (error) {
		const path = wish.edited && (await keepBody(shell, wish.edited.of, wish.edited.body));
		throw path === undefined
			? error
			: new Error(`${messageOf(error)}; your text is in ${path}`, {cause: error});
	}
}

/** Keeps what was edited, and says where; whether there was something. */
async function giveBack(shell: Shell, {edited}: Wish, reason: Safe): Promise<boolean> {
	if (edited) {
		const path = await keepBody(shell, edited.of, edited.body);
		shell.toast(safe`${reason}; your text is in ${path}`, 'bad');
	}

	return edited !== undefined;
}

/** `wish.route` is the one that it is not sent to. */
function replayElsewhere(shell: Shell, wish: Wish): void {
	const {delivery, route = delivery.route} = wish;
	chooseRoute(shell, {
		title: safe`Replay ${shownId(delivery)} to`,
		notes: [rowWords(delivery)],
		routes: otherRoutes(shell, route),
		choose(chosen) {
			const isStillHere = placeNow(shell, literal('t'));
			shell.attempt(async () => replay(shell, {...wish, route: chosen}, isStillHere));
		},
	});
}

/** The row that a key meant: its route, and what the event is about. */
const rowWords = ({route, event, subject}: Delivery): Safe =>
	safe`${clean(route)}  ${clean(subject === undefined || subject === '' ? event : subject)}`;

/** The delivery under the cursor, and whether it is the one that a person has chosen. */
function wishNow(shell: Shell): Wish | undefined {
	const delivery = selectedDelivery(shell);
	return delivery && {delivery, isUnsure: !isSteady(shell, shell.list(deliveryList))};
}

const otherRoutes = (shell: Shell, name: string) =>
	servedRoutes(shell).filter(route => route.name !== name);

async function editAndReplay(shell: Shell): Promise<void> {
	const isStillHere = placeNow(shell, literal('R'));
	const delivery = await stored(shell, selectedDelivery(shell));
	if (!delivery || !isStillHere(literal('The editor was not opened'))) {
		return;
	}

	await sendEditedBody(shell, delivery, {
		text: indented(delivery),
		async send(body) {
			const edited = {body, of: delivery};
			await replay(shell, {delivery, edited}, placeNow(shell, literal('R')));
		},
	});
}

function noOtherRoute(shell: Shell): Safe | undefined {
	const reason = nothingToReplay(shell);
	if (reason !== undefined) {
		return reason;
	}

	return otherRoutes(shell, selectedDelivery(shell)?.route ?? '').length === 0
		? literal('There is no other route')
		: undefined;
}

/** There the filter and following need the room. */
const isNarrow = ({view}: Shell): boolean => view.get().size.columns < 100;

/** Commands that send a delivery once more. */
export const replayCommands: readonly PaneCommand[] = [
	{
		id: 'traffic.replay',
		changes: true,
		keys: ['r'],
		label: literal('replay'),
		why: shell => (hasMarkedDeliveries(shell) ? undefined : nothingToReplay(shell)),
		run(shell) {
			if (hasMarkedDeliveries(shell)) {
				replayMarked(shell);
				return;
			}

			const wish = wishNow(shell);
			if (wish) {
				const isStillHere = placeNow(shell, literal('r'));
				shell.attempt(async () => replay(shell, wish, isStillHere));
			}
		},
	},
	{
		id: 'traffic.edit-replay',
		changes: true,
		keys: ['R'],
		label: literal('edit+replay'),
		quiet: isNarrow,
		why: nothingToReplay,
		run(shell) {
			shell.attempt(async () => editAndReplay(shell));
		},
	},
	{
		id: 'traffic.replay-to',
		changes: true,
		keys: ['t'],
		label: literal('replay to another route'),
		quiet: true,
		why: noOtherRoute,
		run(shell) {
			const wish = wishNow(shell);
			if (wish) {
				replayElsewhere(shell, wish);
			}
		},
	},
	...deliveryMarkCommands,
];
