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
	/** When the keys that scroll by single rows hold. */
	readonly whenRows?: ListedCommand['when'];
};

/**
 * Keys that scroll a sheet's rows. The footer shows the one named `hint` while there is more to see. Paging keeps one row of the last page, so that none is
 * skipped. While a name is typed, `inText` holds the page keys. The space bar does not scroll: a stray press has to re-arm the guard.
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
	/** The guard's name for the sheet as shown; under another name it must be drawn again before a key may allow. */
	readonly nameOf: (state: State, size: Size) => string;
	readonly layoutOf: (shell: Shell) => {readonly most: number; readonly top: number} | undefined;
};

/** Changes a sheet whose rows must be seen before a person decides. Every method does nothing while the sheet is closed. */
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
		/** Scrolls by this many rows, within bounds. */
		scroll(this: void, shell: Shell, rows: number): void {
			const layout = layoutOf(shell);
			if (layout) {
				put(shell, {top: Math.max(0, Math.min(layout.most, layout.top + rows))});
			}
		},
		/** Tells the guard that the sheet is on the screen, and records which rows were. */
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
