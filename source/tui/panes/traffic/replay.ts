import type {Delivery, DeliveryOutcome, StoredDelivery} from '../../../core/delivery.ts';
import {messageOf} from '../../../core/errors.ts';
import type {DeliveryRow} from '../../../core/state.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import type {ReplayPlan} from '../../../gateway/port.ts';
import {answerWord, shownId} from '../../../nouns/delivery/delivery-word.ts';
import {deliveryNoun} from '../../../nouns/delivery/delivery.ts';
import {editableBody, editedBody} from '../../../nouns/delivery/edited-body.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys} from '../../acts/command.ts';
import {placeNow, type StillHere} from '../../acts/place.ts';
import {confirmation, openMenu} from '../../dialogs/questions.ts';
import {
	isSettled,
	deliveryList,
	nothingSelected,
	selectedDelivery,
	stored,
	storedDeliveries,
} from '../../entries/delivery-list.ts';
import {createMarks, markedOf} from '../../lines/marks.ts';
import {markCommands, orMarked, askForAll, actOnAll, sayOutcome} from '../../nouns/marked.ts';
import type {Shell} from '../../shell/shell.ts';
import {chooseRoute, servedRoutes} from './send-event.ts';

/** The marked deliveries. */
export const deliveryMarks = createMarks<DeliveryRow>();

/** Asks once for all marked deliveries, saying what it starts where, then replays them one after the other, oldest first. */
async function replayMarked(shell: Shell, isStillHere: StillHere): Promise<void> {
	// Includes paged rows and those that the filter excludes.
	const {items, gone} = markedOf(
		shell.local(deliveryMarks).get(),
		[...shell.list(deliveryList).get().items, ...shell.feed.get().state.deliveries],
		deliveryNoun.id,
	);
	const planned: Array<DeliveryRow & {readonly effects: string}> = [];
	const {problems} = await actOnAll(items, async row => {
		const {route, effects} = await shell.port.planReplay(row.delivery.id, {});
		const words = effects.join(', ') || 'nothing but the log changes';
		planned.push({...row, effects: `${route}: ${words}`});
		return undefined;
	});
	const [problem] = problems;
	if (planned.length === 0) {
		sayOutcome(shell, literal('replayed'), {done: 0, problems});
	} else if (isStillHere(literal('Replay was not asked'))) {
		const lines = [
			...[...Map.groupBy(planned, ({effects}) => effects)].map(
				([effects, rows]) => `${rows.length}× ${effects}`,
			),
			...(problem === undefined
				? []
				: [`${problems.length} of the marked cannot be replayed: ${problem}`]),
		];
		askForAll(
			shell,
			{
				noun: deliveryNoun,
				marks: deliveryMarks,
				verb: 'replay',
				done: 'replayed',
				items: planned,
				lines,
				gone,
			},
			async ({delivery: {id}}) => {
				const {status, body} = await shell.port.replay(id, {});
				return status < 400 ? undefined : `${status} ${answerWord({body})}`;
			},
		);
	}
}

/** What to send again. */
type Wish = {
	readonly delivery: Delivery;
	/** The name of another route. */
	readonly route?: string;
	/** The edited body, and the delivery it came from. */
	readonly edited?: {readonly body: string; readonly of: StoredDelivery};
	/** The list moved, so the person may have meant another row. */
	readonly isUnsure?: boolean;
};

const optionsOf = ({route, edited}: Wish) => ({
	...(route !== undefined && {route}),
	...(edited && {body: edited.body}),
});

/** Replays at once if only the log would change, else asks, naming the effects. Always asks for an edited body, or if a moving list changed the selection. */
function replay(shell: Shell, wish: Wish, isStillHere: StillHere): void {
	const {delivery, edited, isUnsure = false} = wish;
	attempt(shell, wish, async () => {
		const plan = await shell.port.planReplay(delivery.id, optionsOf(wish));
		if (!plan.needsConfirmation && !edited && !isUnsure) {
			await send(shell, wish, plan);
		} else if (isStillHere(literal('Replay was not asked'))) {
			ask(shell, wish, plan);
		} else if (edited) {
			throw new Error('Replay was not asked');
		}
	});
}

function ask(shell: Shell, wish: Wish, plan: ReplayPlan): void {
	const {delivery, edited} = wish;
	confirmation.open(shell, {
		title: safe`Replay ${shownId(delivery)} to ${escapeLine(plan.route)}`,
		lines: [
			rowWords(delivery),
			...(edited ? [literal('With the body as it was edited.')] : []),
			...(plan.effects.length === 0
				? [literal('Nothing but the log changes.')]
				: plan.effects.map(text => escapeLine(text))),
		],
		act: literal('replay'),
		run: () => attempt(shell, wish, async () => send(shell, wish, plan)),
		...(otherRoutes(shell, plan.route).length > 0 && {
			other: {
				label: literal('to another route'),
				run: () => replayElsewhere(shell, {...wish, route: plan.route}),
			},
		}),
	});
}

/** Replays and shows the outcome: even an unasked replay may have started an agent. */
async function send(shell: Shell, wish: Wish, {route, effects}: ReplayPlan): Promise<void> {
	const {status, body} = await shell.port.replay(wish.delivery.id, optionsOf(wish));
	const did =
		status === 202 && effects.length > 0 ? escapeLine(effects.join(', ')) : answerWord({body});
	const said = safe`Replayed ${shownId(wish.delivery)} to ${escapeLine(route)} (${status}): ${did}`;
	if (status >= 400) {
		throw new Error(said);
	}

	shell.toast(said, 'good');
}

/** Runs `act`; if it fails, saves an edited body to a file and says where. */
function attempt(shell: Shell, {edited}: Wish, act: () => Promise<void>): void {
	shell.attempt(async () => {
		try {
			await act();
		} catch (error) {
			const path =
				edited && (await shell.desktop.keep(editableBody(edited.of).kept, `${edited.body}\n`));
			throw path === undefined
				? error
				: new Error(`${messageOf(error)}; your text is in ${path}`, {cause: error});
		}
	});
}

/** Asks for another route than `wish.route`, and replays there. */
function replayElsewhere(shell: Shell, wish: Wish): void {
	const {delivery, route = delivery.route} = wish;
	chooseRoute(shell, {
		title: safe`Replay ${shownId(delivery)} to`,
		notes: [rowWords(delivery)],
		routes: otherRoutes(shell, route),
		choose: chosen => replay(shell, {...wish, route: chosen}, placeNow(shell, literal('t'))),
	});
}

/** Names the delivery that a key acts on: its route, and what the event is about. */
const rowWords = ({route, event, subject}: Delivery): Safe =>
	safe`${escapeLine(route)}  ${escapeLine(subject || event)}`;

const otherRoutes = (shell: Shell, name: string) =>
	servedRoutes(shell).filter(route => route.name !== name);

/** Replays the body as edited. Text that is not JSON is saved, and can be edited again. */
async function editAndReplay(shell: Shell, of: StoredDelivery, text: string): Promise<void> {
	const {suffix, kept} = editableBody(of);
	const saved = await shell.desktop.edit(text, suffix);
	const edited = editedBody(saved, of);
	switch (edited.kind) {
		case 'nothing':
			shell.toast(
				edited.left === 'empty'
					? literal('Nothing is sent: the text was left empty')
					: literal('Nothing was changed, nothing is sent'),
			);
			return;

		case 'body':
			replay(shell, {delivery: of, edited: {body: edited.body, of}}, placeNow(shell, literal('R')));
			return;

		case 'mistake': {
			const path = await shell.desktop.keep(kept, `${edited.body}\n`);
			openMenu(shell, {
				title: literal('Not replayed: the text is no JSON'),
				notes: [escapeLine(edited.why), safe`Your text is in ${path}`],
				items: [
					{
						key: 'e',
						label: literal('edit it again'),
						run: () => shell.attempt(async () => editAndReplay(shell, of, saved ?? text)),
					},
				],
			});
		}
	}
}

/** Refused before the sender was verified or by the rate limit, so stored without a body. */
const refusedUnread: ReadonlySet<DeliveryOutcome> = new Set([
	'route',
	'slip',
	'method',
	'size',
	'signature',
	'rate',
]);

/** Why a delivery cannot be replayed, as far as the state tells. */
function nothingToReplay(shell: Shell): Safe | undefined {
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

/** Runs `act` with the selected delivery, and whether the person chose that row. */
const withWish = (act: (shell: Shell, wish: Wish) => void) => (shell: Shell) => {
	const delivery = selectedDelivery(shell);
	if (delivery) {
		act(shell, {delivery, isUnsure: !isSettled(shell, shell.list(deliveryList))});
	}
};

/** Commands that replay a delivery. */
export const replayCommands: readonly PaneCommand[] = [
	orMarked(
		onKeys(['traffic.replay', 'r'], literal('replay'), {
			changes: true,
			why: nothingToReplay,
			run: withWish((shell, wish) => replay(shell, wish, placeNow(shell, literal('r')))),
		}),
		deliveryMarks,
		shell => {
			const isStillHere = placeNow(shell, literal('r'));
			shell.attempt(async () => replayMarked(shell, isStillHere));
		},
	),
	onKeys(['traffic.edit-replay', 'R'], literal('edit+replay'), {
		changes: true,
		// On narrow screens the footer keeps room for filter and follow.
		quiet: ({view}) => view.get().size.columns < 100,
		why: nothingToReplay,
		run(shell) {
			const isStillHere = placeNow(shell, literal('R'));
			shell.attempt(async () => {
				const of = await stored(shell, selectedDelivery(shell));
				if (of && isStillHere(literal('The editor was not opened'))) {
					await editAndReplay(shell, of, editableBody(of).text);
				}
			});
		},
	}),
	onKeys(['traffic.replay-to', 't'], literal('replay to another route'), {
		changes: true,
		quiet: true,
		why: shell =>
			nothingToReplay(shell) ??
			(otherRoutes(shell, selectedDelivery(shell)?.route ?? '').length === 0
				? literal('There is no other route')
				: undefined),
		run: withWish(replayElsewhere),
	}),
	...markCommands('traffic', deliveryMarks, {source: deliveryList, keyOf: deliveryNoun.id}),
];
