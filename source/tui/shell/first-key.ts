import {literal} from '../../terminal/text/safe.ts';
import {close} from '../acts/dialog.ts';
import {firstRun} from '../commands/first-run.ts';
import {keyOffer, lacksFirstKey, offerFirstKey} from '../dialogs/key.ts';
import {watchView} from '../state/view.ts';
import type {Shell} from './shell.ts';

/**
 * Offers the first key of the chat API once, if the API is served and no key ever existed. The card of a first start makes this offer itself. While another dialog or field is open, or an approval
 * waits (`m` means deny on its sheet), the offer is left to the next start. Returns a function that ends it.
 */
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

/** Calls `save` when the first key is declined: a process killed later must not ask again. Returns a function that ends it. */
export const whenDeclined = (shell: Shell, save: () => void): (() => void) =>
	watchView(shell.view, ({declinedKey}) => [declinedKey], save);
