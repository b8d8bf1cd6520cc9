import {arming} from '../approvals/guard.ts';
import {seeRows} from '../approvals/seen-rows.ts';
import type {Sheet} from '../approvals/sheet.ts';
import type {Shell} from '../shell/shell.ts';
import type {Size} from '../state/view.ts';
import type {ListedCommand} from './command.ts';
import {scrolling, type DialogState, type ShownParts} from './dialog.ts';

type SheetScrolling = {
	readonly layoutOf: (shell: Shell) => {readonly height: number; readonly most: number} | undefined;
	readonly hint: 'down' | 'page-down';
	/** When keys move by single rows. */
	readonly whenRows?: ListedCommand['when'];
};

/**
 * Keys that scroll the rows of a sheet; `hint` is told of while there is more to see. A page leaves one row of the last one, and never jumps over any. A name is typed under
 * what has to be seen: `inText` turns pages meanwhile. The space bar turns none: a stray one has to put the guard off.
 */
export function sheetScrolling(
	id: string,
	scroll: (shell: Shell, rows: number) => void,
	{layoutOf, hint, whenRows}: SheetScrolling,
): {readonly moving: readonly ListedCommand[]; readonly inText: readonly ListedCommand[]} {
	const moving = scrolling(id, scroll, {
		page: shell => Math.max(1, (layoutOf(shell)?.height ?? 0) - 1),
		more: name => ({
			quiet: shell => name !== hint || layoutOf(shell)?.most === 0,
			...(whenRows && !isPage(name) && {when: whenRows}),
		}),
	}).map(command => ({...command, keys: command.keys.filter(key => key !== 'space')}));
	return {
		moving,
		inText: moving
			.filter(command => isPage(command.id))
			.map(command => ({
				...command,
				id: command.id.replace(id, `${id}-text`),
				scope: `${id}-text`,
				keys: command.keys.slice(0, 1),
			})),
	};
}

const isPage = (name: string): boolean => name.includes('page-');

type SeenSheet = Pick<Sheet, 'top' | 'seen'>;

type SeenSheetOptions<State extends {readonly sheet: SeenSheet}> = {
	/** What the guard calls a sheet as it is shown: anything else has to be drawn anew before a key may allow. */
	readonly nameOf: (state: State, size: Size) => string;
	readonly layoutOf: (shell: Shell) => {readonly most: number; readonly top: number} | undefined;
};

/** How a sheet is changed that a person decides on by rows which were seen. All of it does nothing while the sheet is not open. */
export function seenSheet<State extends {readonly sheet: SeenSheet}>(
	dialog: DialogState<State>,
	{nameOf, layoutOf}: SeenSheetOptions<State>,
) {
	const put = (shell: Shell, part: Partial<SeenSheet>): void => {
		dialog.change(shell, state => ({...state, sheet: {...state.sheet, ...part}}));
	};

	return {
		change(this: void, shell: Shell, part: Partial<State['sheet']>): void {
			put(shell, part);
		},
		/** Scrolls by so many rows, as far as there are any. */
		scroll(this: void, shell: Shell, rows: number): void {
			const layout = layoutOf(shell);
			if (layout) {
				put(shell, {top: Math.max(0, Math.min(layout.most, layout.top + rows))});
			}
		},
		/** Tells the guard that the sheet stands on the screen, and remembers what of it was there. */
		noteShown(this: void, shell: Shell, {of, asked}: ShownParts): void {
			const state = dialog.now(shell);
			if (!state || nameOf(state, shell.view.get().size) !== of) {
				return;
			}

			shell.guard.shown(of);
			const {sheet} = state;
			const at = shell.clock.monotonic();
			const seen = {...sheet.seen};
			for (const [part, text] of Object.entries(asked)) {
				if (text) {
					seen[part] = seeRows(sheet.seen[part], text, at);
				}
			}

			if (Object.keys(asked).some(part => seen[part] !== sheet.seen[part])) {
				put(shell, {seen});
				shell.guard.awaits(at + arming.drawnMs);
			}
		},
	};
}
