import type {Safe} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';

/** Whether the keyboard focus is unchanged; if not, shows which request was `missed`: `Replay was not asked`. */
export type StillHere = (missed: Safe) => boolean;

/**
 * Remembers where the keyboard focus is. A command that looks something up before it opens a question, an editor or a pager calls this at the key press: by the
 * time it opens, keys may be meant for something else, and a `y` would confirm an unread question. `key` is the key to press again; `inside` is what keys act on
 * in a pane without a list.
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

/** Where the keyboard focus is. A following list moves its selection without the person. */
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
