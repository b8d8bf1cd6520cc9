import type {GatewayState} from '../../core/state.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys} from '../acts/command.ts';
import {copying} from '../acts/copy.ts';
import {close, closing, defineDialog, dialogState} from '../acts/dialog.ts';
import {openPane} from '../acts/navigate.ts';
import {titled} from '../dialogs/box.ts';
import {lacksFirstKey, makeFirstKey} from '../dialogs/key.ts';
import {openSetup} from '../dialogs/setup.ts';
import {deliveryList} from '../entries/delivery-list.ts';
import {blankLine, wrapText, type Line} from '../lines/line.ts';
import {sendTest} from '../panes/traffic/send-event.ts';
import type {ValueStore} from '../state/store.ts';
import type {ViewState} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';

/** What the first start wrote and found. @see manual/commands.md */
export type FirstRunCard = {
	/** One line per step done: `wrote /home/ann/.svc/config.yaml`. */
	readonly steps: readonly string[];
	/** The route that `T` sends the test event to. */
	readonly route: string;
	/** Replaces the welcome title. */
	readonly title?: string;
	/** Keys with their labels; absent: those of a first start. */
	readonly keys?: ReadonlyArray<readonly [key: string, does: string]>;
	/** A step in progress, renamed to `done` when `over` resolves. The bell is silent until then. */
	readonly underWay?: {readonly step: string; readonly done: string; readonly over: Promise<void>};
};

export const firstRun = dialogState<{readonly card: FirstRunCard}>('first-run');

/** Marks the card's step in progress as done once it is. */
export function tickOff(view: ValueStore<ViewState>, card: FirstRunCard | undefined): void {
	const {underWay, ...shown} = card ?? {route: '', steps: []};
	const overlay = {
		kind: firstRun.kind,
		card: {...shown, steps: [...shown.steps, underWay?.done ?? '']},
	};
	void underWay?.over.then(
		() => {
			view.set(state => (state.overlay?.kind === firstRun.kind ? {...state, overlay} : state));
			return undefined;
		},
		// Errors are reported by the caller who began the step.
		() => undefined,
	);
}

/** What the first start did, which model answers, and how to see a first event. */
function firstRunLines(card: FirstRunCard, state: GatewayState, width: number): readonly Line[] {
	const {webhook} = state;
	const {steps, route, underWay, keys = firstKeys} = card;
	const told = keys.filter(pair => pair !== makesKey || lacksFirstKey(state));
	const marked = (mark: Safe, step: string) =>
		wrapText(step, width - 4).map((row, index): Line => [
			{text: index === 0 ? mark : literal('   '), tone: 'good'},
			{text: row},
		]);
	return [
		blankLine,
		...steps.flatMap(step => marked(literal(' ✓ '), step)),
		...(underWay ? marked(literal(' … '), underWay.step) : []),
		blankLine,
		...listenRows(webhook, route, width),
		fact(literal('Model'), modelText(state)),
		blankLine,
		...told.map(([key, does]) => fact(escapeLine(key), escapeLine(does), 'accent')),
	];
}

/** Where senders post, or why they cannot. */
function listenRows(
	webhook: GatewayState['webhook'],
	route: string,
	width: number,
): readonly Line[] {
	if (webhook.state !== 'refused') {
		const {state} = webhook;
		const text = state === 'listening' ? `${webhook.url}/webhooks/${route}` : state;
		return [fact(literal('Listens'), escapeLine(text))];
	}

	return wrapText(`✗ ${webhook.reason}`, width - factCells - 3).map((row, index) =>
		fact(index === 0 ? literal('Listens') : literal(''), row),
	);
}

const makesKey = ['m', 'makes the first key of the chat API, and shows it once'] as const;

const firstKeys: NonNullable<FirstRunCard['keys']> = [
	['T', 'sends a signed pull_request event through the port, and shows it'],
	['c', 'copies a curl line that does the same'],
	['s', 'sets up port, secret and a first route'],
	makesKey,
	['Enter', 'goes to the traffic'],
];

const factCells = 9;

const fact = (name: Safe, value: Safe, tone: Tone = 'title'): Line => [
	{text: literal('   ')},
	{text: fit(name, factCells), tone},
	{text: value},
];

function modelText({model, modelProblem}: GatewayState): Safe {
	if (modelProblem !== undefined) {
		return safe`✗ ${escapeLine(modelProblem)}`;
	}

	return model ? escapeLine(`${model.name} (${model.origin})`) : literal('looking for one…');
}

export const firstRunDialog = defineDialog(firstRun, {
	title: 'First start',
	contents: ({card}, shell, room) => ({
		title: titled(escapeLine(card.title ?? 'Welcome to svc')),
		rows: firstRunLines(card, shell.feed.get().state, room.width),
	}),
	// The card's keys do the same in the pane behind it, so the key is passed on there once the card is closed.
	press(shell, {card}, {id}) {
		const told = card.keys?.some(([keys]) => keys.split(' ', 1)[0] === id);
		if (id === 'q' || (told && id !== 'T')) {
			close(shell);
		}

		return false;
	},
	commands: [
		onKeys(['first-run.test', 'T'], literal('send a test event, and go to the traffic'), {
			changes: true,
			run(shell) {
				const {card} = firstRun.now(shell) ?? {};
				if (card) {
					close(shell);
					openPane(shell, deliveryList.id);
					sendTest(shell, card.route);
				}
			},
		}),
		onKeys(['first-run.copy', 'c'], literal('copy the curl line'), {
			run: copying(literal('signed curl line'), shell => {
				const {card} = firstRun.now(shell) ?? {};
				return card && shell.port.curlLine(card.route);
			}),
		}),
		onKeys(['first-run.setup', 's'], literal('set up the receiver'), {
			changes: true,
			when: shell => firstRun.now(shell)?.card.keys === undefined,
			run: openSetup,
		}),
		onKeys(['first-run.key', 'm'], literal('make the first key of the chat API'), {
			changes: true,
			when: shell =>
				firstRun.now(shell)?.card.keys === undefined && lacksFirstKey(shell.feed.get().state),
			run: makeFirstKey,
		}),
		closing('first-run', ['enter', 'esc', 'ctrl+c']),
	],
});
