import {createTimer, stopAll} from '../../core/clock.ts';
import {literal} from '../../terminal/text/safe.ts';
import {close} from '../acts/dialog.ts';
import {approvalSheet} from '../acts/sheet.ts';
import {keyOffer, offerFirstKey} from '../dialogs/key.ts';
import {quit} from '../dialogs/leaving.ts';
import {watchView} from '../state/view.ts';
import type {Shell} from './shell.ts';

/** How long after an approval sheet no offer with the same keys may open. */
const afterSheetMs = 5000;

/**
 * Offers the first key of the chat API once, if the API is served and no key ever existed; with several faces, the others stop offering when one makes it. Not
 * while an approval waits or shortly after a sheet: `m` means deny there. Returns a function that ends it.
 */
export function watchFirstKey(shell: Shell): () => void {
	let isOffered = false;
	let hasSheet = false;
	const sheetCloses = createTimer(shell.clock);
	const look = () => {
		const {api, keys, approvals} = shell.feed.get().state;
		const {overlay, field, declinedKey, pane, triedIn} = shell.view.get();
		if (keyOffer.isOpen(shell) && keys !== undefined && keys.length > 0) {
			close(shell);
			shell.toast(literal('Somebody has made the first key: 9 Keys has it'));
			return;
		}

		if (approvalSheet.isOpen(shell) !== hasSheet) {
			hasSheet = !hasSheet;
			sheetCloses.set(afterSheetMs, look);
		}

		// Opening the quit dialog does not decline the offer: it returns after "stay".
		isOffered &&= !quit.isOpen(shell);
		const isWanted =
			api?.state === 'listening' &&
			keys?.length === 0 &&
			!declinedKey &&
			pane !== triedIn &&
			approvals.length === 0 &&
			!hasSheet &&
			sheetCloses.isFree();
		if (isWanted && !isOffered && !overlay && !field && !shell.section().typing) {
			isOffered = true;
			offerFirstKey(shell);
		}
	};

	const stop = stopAll([
		shell.feed.subscribe(look),
		shell.view.subscribe(look),
		sheetCloses[Symbol.dispose],
	]);
	look();
	return stop;
}

/** Calls `save` when the first key is declined: a process killed later must not ask again. Returns a function that ends it. */
export const whenDeclined = (shell: Shell, save: () => void): (() => void) =>
	watchView(shell.view, ({declinedKey}) => [declinedKey], save);
