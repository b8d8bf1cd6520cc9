import {stopAll} from '../../core/stops.ts';
import {literal} from '../../terminal/text/safe.ts';
import {close} from '../acts/dialog.ts';
import {keyOffer, offerFirstKey} from '../dialogs/key.ts';
import {quit} from '../dialogs/leaving.ts';
import type {Shell} from './shell.ts';

/** Offers the first key of the chat API once, when it is served and there has never been one; of several faces one makes it, and the others hear of it. Returns the way out. */
export function watchFirstKey(shell: Shell): () => void {
	let isOffered = false;
	const look = () => {
		const {api, keys} = shell.feed.get().state;
		const {overlay, field, declinedKey, pane, triedIn} = shell.view.get();
		if (keyOffer.isOpen(shell) && keys !== undefined && keys.length > 0) {
			close(shell);
			shell.toast(literal('Somebody has made the first key: 9 Keys has it'));
			return;
		}

		// Asking to quit is no answer: who stays is asked again.
		isOffered &&= !quit.isOpen(shell);
		const isWanted =
			api?.state === 'listening' && keys?.length === 0 && !declinedKey && pane !== triedIn;
		if (isWanted && !isOffered && !overlay && !field && !shell.section().typing) {
			isOffered = true;
			offerFirstKey(shell);
		}
	};

	const stop = stopAll([shell.feed.subscribe(look), shell.view.subscribe(look)]);
	look();
	return stop;
}
