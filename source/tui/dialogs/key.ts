import type {GatewayState} from '../../core/state.ts';
import type {MintedKey} from '../../nouns/key/key-acts.ts';
import {grantOf, keyFields} from '../../nouns/key/key-form.ts';
import {literal} from '../../terminal/text/safe.ts';
import {dayTime} from '../../terminal/text/time.ts';
import {onKeys, type Command, type ListedCommand} from '../acts/command.ts';
import {close, defineWizard, dialogState, step} from '../acts/dialog.ts';
import {change} from '../acts/navigate.ts';
import {selectSoon} from '../acts/select-soon.ts';
import {keyList} from '../entries/lists.ts';
import {newForm, type FormState} from '../forms/form.ts';
import {blankLine, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {boxOf, titled} from './box.ts';
import {guarding, onceDialog, type ShownOnce} from './guarded.ts';
import {formDialog, leavingForm, reviewing} from './wizard.ts';

/** The form for a new key of the chat API. */
const keyForm = dialogState<{readonly form: FormState}>('key-form');

/** Offered when no key exists: the first key is made only on request, so that every key was shown to somebody. */
export const keyOffer = dialogState<object>('key-offer');

/** Shows a new key, the only time that it is readable. */
const keyShown = dialogState<ShownOnce>('key-shown');

const widest = 84;
const offering = guarding(keyOffer, () => 'key');
const showing = onceDialog(keyShown, {id: 'key', noun: literal('key'), widest});

/** Whether the chat API is served and no key ever existed. */
export const lacksFirstKey = ({api, keys}: GatewayState): boolean =>
	api?.state === 'listening' && keys?.length === 0;

/** Asks whether to make the first key now. */
export const offerFirstKey = (shell: Shell): void => offering.open(shell, {});

/** Shows a new key, even over a dialog opened meanwhile: it cannot be shown again. */
export function showKey(
	shell: Shell,
	{key: {id, name, retiring}, secret}: MintedKey,
	isRotated = false,
): void {
	const {api} = shell.port.getState();
	showing.open(shell, {
		id,
		secret,
		title: isRotated ? literal('The new secret of a key') : literal('A new key'),
		done: `${isRotated ? 'New secret of' : 'Made'} ${name === '' ? id : `${name} (${id})`}`,
		...(retiring && {note: `The one before passes until ${dayTime(retiring.until)}.`}),
		below:
			api?.state === 'listening'
				? `base URL  ${api.url}/v1`
				: 'The chat API does not listen now: see api in config.yaml.',
	});
}

/** Makes the first key and shows it, in the place of what is open. */
export function makeFirstKey(shell: Shell): void {
	close(shell);
	shell.attempt(async () => {
		const minted = await shell.port.createFirstKey();
		if (minted) {
			showKey(shell, minted);
		} else {
			shell.toast(literal('There is a key by now: pane Keys has it, and can rotate it'), 'warn');
		}
	});
}

/** Opens the form for a new key, from any pane. */
export const openKeyForm: Command = {
	id: 'key.open',
	changes: true,
	scope: 'global',
	keys: [],
	label: literal('make a key of the chat API'),
	aliases: ['/key'],
	run(shell) {
		const form = newForm(keyFields(shell.clock.now()));
		keyForm.open(shell, {form}, {field: undefined, toast: undefined});
	},
};

const form = step(keyForm, {
	isWatched: true,
	...formDialog(keyForm, {
		widest,
		title: () => titled(literal('A new key for the chat API')),
		foot: 'a makes the key and shows it once, Esc makes none',
		send: {
			id: 'key.make',
			label: literal('make the key'),
			failed: literal('Not yet'),
			take: ({clock}, {form: {values}}) => grantOf(values, clock.now()),
			async act(shell, grant) {
				const minted = await shell.port.createKey(grant);
				showKey(shell, minted);
				// The next key pressed in the pane is meant for the new key.
				selectSoon(
					shell,
					shell.list(keyList),
					() => shell.feed.get().state.keys?.find(({id}) => id === minted.key.id)?.id,
				);
			},
		},
	}),
});

const whyFirst =
	'The chat API needs a key and has none yet: it answers every request with 401. The first key is called "first" and has no limit of requests or tokens; pane 9 Keys makes others.';

const offer = step(keyOffer, {
	...offering.dialog,
	contents: (_, _shell, room) =>
		boxOf(room, {title: literal('A key for the chat API?'), widest}, width => [
			blankLine,
			...told(whyFirst, width),
			blankLine,
			...told(
				'm makes it and shows it once; Esc makes none, and this is not asked again. Any other key leaves this for the next start.',
				width,
				'quiet',
			),
		]),
	// What was typed for the pane behind it goes on to the pane.
	press(shell, _, {id}) {
		if (id !== 'm' && id !== 'esc') {
			close(shell);
			shell.toast(literal('The chat API has no key yet: a in 9 Keys makes one'));
		}

		return false;
	},
	commands: [
		onKeys(['key.first', 'm'], literal('make it and show it'), {
			changes: true,
			isGuarded: true,
			run: makeFirstKey,
		}),
	],
});

const leaving: readonly ListedCommand[] = [
	reviewing('key'),
	onKeys(['key.decline', 'esc'], literal('make none'), {
		when: keyOffer.isOpen,
		run: shell => change(shell, {overlay: undefined, declinedKey: true}),
	}),
	{
		...leavingForm('key', literal('leave'), {leave: showing.leave}),
		quiet: keyShown.isOpen,
		when: shell => !keyOffer.isOpen(shell),
	},
];

export const keyDialogs = defineWizard('key', {title: 'A key of the chat API', keys: leaving}, [
	form,
	offer,
	step(keyShown, showing.dialog),
]);
