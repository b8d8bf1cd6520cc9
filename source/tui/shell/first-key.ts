import {createTimer, stopAll} from '../../core/clock.ts';
import {literal} from '../../terminal/text/safe.ts';
import {close} from '../acts/dialog.ts';
import {approvalSheet} from '../acts/sheet.ts';
import {keyOffer, offerFirstKey} from '../dialogs/key.ts';
import {quit} from '../dialogs/leaving.ts';
import {watchView} from '../state/view.ts';
import type {Shell} from './shell.ts';

/** After an approval sheet nothing that has the same keys comes up for so long. */
const afterSheetMs = 5000;

/** Offers the first key of the chat API once, when it is served and there has never been one; of several faces one makes it, and the others hear of it. Never where an approval waits, or a sheet was open just now: "m" denies there. Returns the way out. */
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

		// Asking to quit is no answer: the offer comes back after "stay".
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

/** Calls `save` as soon as the first key was declined: a process that is ended later must not ask again. Returns the way out. */
export const whenDeclined = (shell: Shell, save: () => void): (() => void) =>
	watchView(shell.view, ({declinedKey}) => [declinedKey], save);
