import type {Safe} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';

/** Whether the keyboard is still where it was; says what was `missed` when it is not: `Replay was not asked`. */
export type StillHere = (missed: Safe) => boolean;

/**
 * Remembers where the keyboard is. To be made when the key comes, by every command that has to look something up before it opens a question, an editor or
 * a pager: by then keys may be meant for something else, and a `y` would confirm an unread question. `key` is the one to press again, `inside` what keys act
 * on in a pane that has no list.
 */
export function placeNow(
	shell: Shell,
	key: Safe,
	inside: () => readonly unknown[] = nothingInside,
): StillHere {
	const before = placeOf(shell);
	const insideBefore = inside();
	return missed => {
		const now = placeOf(shell);
		const isSelected = now.selected === before.selected || (now.isFollowing && before.isFollowing);
		const isSame =
			now.pane === before.pane &&
			now.region === before.region &&
			now.overlay === before.overlay &&
			now.field === before.field &&
			now.list === before.list &&
			isSelected &&
			inside().every((part, index) => part === insideBefore[index]);
		if (!isSame) {
			shell.toast(safe`${missed}: press ${key} again`, 'warn');
		}

		return isSame;
	};
}

const nothingInside = (): readonly unknown[] => [];

/** A list that follows moves by itself: what is selected there later was not chosen. */
function placeOf(shell: Shell) {
	const {pane, region, overlay, field} = shell.view.get();
	const list = shell.openList();
	const selected = list?.selectedKey();
	return {
		pane,
		region,
		overlay,
		field,
		list,
		selected,
		isFollowing: list?.get().isFollowing === true,
	};
}
