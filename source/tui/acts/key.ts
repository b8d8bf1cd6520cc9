import type {ApiKey} from '../../core/api-keys/api-key.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {keyList} from '../entries/key-list.ts';
import {grantOf, keyForm, newKeyCard, type KeyCard} from '../keys/key-card.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {Command} from './command.ts';
import {copyText} from './copy.ts';
import {isComplete} from './form.ts';
import {change} from './navigate.ts';
import {close, isKind} from './overlay-state.ts';
import {review} from './review.ts';
import {selectSoon} from './select-soon.ts';
import {tooEarly} from './sheet.ts';

const cardNow = ({view}: Shell): KeyCard | undefined => {
	const {overlay} = view.get();
	return isKind(overlay, 'key') ? overlay.card : undefined;
};

const isAt =
	(kind: KeyCard['kind']) =>
	(shell: Shell): boolean =>
		cardNow(shell)?.kind === kind;

/** What the guard calls a card; those that do nothing that cannot be undone have no name. */
const guarded = (card: KeyCard | undefined): string | undefined =>
	card?.kind === 'shown' ? `key ${card.key.id}` : card?.kind === 'offer' ? 'key' : undefined;

/** A card may open while somebody types: keys that were meant for something else neither make the first key nor put one away that was not seen. */
const open = (shell: Shell, card: KeyCard): void => {
	// What was said of the card before this one is over.
	change(shell, {overlay: {kind: 'key', card}, field: undefined, toast: undefined});
	const name = guarded(card);
	if (name !== undefined) {
		shell.guard.asked();
		shell.guard.shown(name);
	}
};

/** Whether this key press may make the first key, or close the card of one: it came alone, half a second after the card and after any other key. */
export function mayKey(shell: Shell, key: Pick<KeyEvent, 't' | 'alone'>): boolean {
	const name = guarded(cardNow(shell));
	if (name !== undefined && shell.guard.permits(name, key)) {
		return true;
	}

	shell.guard.disturbed(key.t);
	shell.toast(tooEarly(shell), 'warn');
	return false;
}

/** Asks what a new key is to be. */
export function openKeyForm(shell: Shell): void {
	open(shell, newKeyCard(shell.clock.now()));
}

/** Asks whether the first key is to be made now. */
export function offerFirstKey(shell: Shell): void {
	open(shell, {kind: 'offer'});
}

/** Whether the first key is offered now. */
export const isOfferingKey = isAt('offer');

/** Shows a key that was made, whatever was opened meanwhile: nobody can ask for it again. */
export function showKey(
	shell: Shell,
	{key, secret}: {readonly key: ApiKey; readonly secret: string},
	{isRotated}: {readonly isRotated: boolean},
): void {
	const {api} = shell.port.getState();
	const url = api?.state === 'listening' ? `${api.url}/v1` : undefined;
	open(shell, {kind: 'shown', isRotated, key, secret, url});
}

function make(shell: Shell): void {
	const card = cardNow(shell);
	const form = card && keyForm(card);
	if (!form || !isComplete(shell, literal('Not yet'))) {
		return;
	}

	const grant = grantOf(form, shell.clock.now());
	if ('problem' in grant) {
		shell.toast(safe`Not yet: ${clean(grant.problem)}`, 'warn');
		return;
	}

	// A second key press makes no second key; when it fails, what was filled in comes back.
	close(shell);
	shell.attempt(async () => {
		try {
			const minted = await shell.port.createKey(grant);
			showKey(shell, minted, {isRotated: false});
			// What is pressed next in the pane is meant for this one.
			selectSoon(
				shell,
				shell.list(keyList),
				() => shell.feed.get().state.keys?.find(({id}) => id === minted.key.id) && minted.key.id,
			);
		} catch (error) {
			if (!shell.view.get().overlay) {
				open(shell, card);
			}

			throw error;
		}
	});
}

function makeFirst(shell: Shell): void {
	close(shell);
	shell.attempt(async () => {
		const minted = await shell.port.createFirstKey();
		if (minted) {
			showKey(shell, minted, {isRotated: false});
		} else {
			shell.toast(literal('There is a key by now: pane Keys has it, and can rotate it'), 'warn');
		}
	});
}

/** How the form is reached from anywhere. */
export const keyActs: readonly Command[] = [
	{
		id: 'key.open',
		changes: true,
		scope: 'global',
		keys: [],
		label: literal('make a key of the chat API'),
		aliases: ['/key'],
		run: openKeyForm,
	},
];

/** Keys of the card. */
export const keyCommands: readonly Command[] = [
	{
		id: 'key.make',
		changes: true,
		scope: 'key',
		keys: ['a'],
		label: literal('make the key'),
		when: isAt('form'),
		run: make,
	},
	{
		id: 'key.first',
		changes: true,
		scope: 'key',
		keys: ['m'],
		label: literal('make it and show it'),
		isGuarded: true,
		when: isAt('offer'),
		run: makeFirst,
	},
	{
		id: 'key.copy',
		scope: 'key',
		keys: ['c'],
		label: literal('copy the key'),
		when: isAt('shown'),
		run(shell) {
			const card = cardNow(shell);
			if (card?.kind === 'shown') {
				shell.attempt(async () => copyText(shell, card.secret, literal('key')));
			}
		},
	},
	{
		id: 'key.kept',
		scope: 'key',
		keys: ['y'],
		label: literal('I have kept it: close'),
		isGuarded: true,
		when: isAt('shown'),
		run: close,
	},
	{
		id: 'key.review',
		scope: 'key',
		keys: ['!'],
		label: literal('review approvals'),
		quiet: true,
		run: review,
	},
	{
		id: 'key.decline',
		scope: 'key',
		keys: ['esc'],
		label: literal('make none'),
		when: isAt('offer'),
		run(shell) {
			change(shell, {overlay: undefined, declinedKey: true});
		},
	},
	{
		id: 'key.close',
		scope: 'key',
		keys: ['esc', 'ctrl+c', 'q'],
		label: literal('leave it'),
		quiet: isAt('shown'),
		when: shell => !isAt('offer')(shell),
		run(shell) {
			if (isAt('shown')(shell)) {
				shell.toast(literal('The key is shown once: y closes this when you have kept it'), 'warn');
			} else {
				close(shell);
			}
		},
	},
];
