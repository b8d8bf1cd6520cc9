import {literal} from '../../terminal/text/safe.ts';
import {close} from '../acts/dialog.ts';
import {firstRun} from '../commands/first-run.ts';
import {keyOffer, lacksFirstKey, offerFirstKey} from '../dialogs/key.ts';
import {watchView} from '../state/view.ts';
import type {Shell} from './shell.ts';

/** Offers the first key of the chat API once, as soon as the chat API is served without one. The card of a first start offers it itself. Where something else has the keyboard or an approval waits, whose sheet denies by "m", the next start offers it. Returns the way out. */
export function watchFirstKey(shell: Shell): () => void {
	let isOver = firstRun.isOpen(shell);
	const look = () => {
		const {state} = shell.feed.get();
		const {overlay, field, declinedKey} = shell.view.get();
		if (keyOffer.isOpen(shell) && state.keys !== undefined && state.keys.length > 0) {
			close(shell);
			shell.toast(literal('Another interface has made the first key: 9 Keys has it'));
		} else if (!isOver && !declinedKey && lacksFirstKey(state)) {
			isOver = true;
			if (state.approvals.length === 0 && !overlay && !field && !shell.section().typing) {
				offerFirstKey(shell);
			}
		}
	};

	look();
	return shell.feed.subscribe(look);
}

/** Calls `save` as soon as the first key was declined: a process that is ended later must not ask again. Returns the way out. */
export const whenDeclined = (shell: Shell, save: () => void): (() => void) =>
	watchView(shell.view, ({declinedKey}) => [declinedKey], save);
