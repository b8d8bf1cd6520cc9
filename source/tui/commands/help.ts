import {literal, safe} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {changeOverlay, closing} from '../acts/overlay-state.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';

const scrollHelp = (shell: Shell, rows: number): void => {
	changeOverlay(shell, 'help', overlay => ({...overlay, top: Math.max(0, overlay.top + rows)}));
};

/** Keys of the help. */
export const helpCommands: readonly Command[] = [
	{
		id: 'help.search',
		scope: 'help',
		keys: ['/'],
		label: literal('search'),
		run(shell) {
			changeOverlay(shell, 'help', overlay => ({...overlay, isSearching: true, top: 0}));
		},
	},
	{
		id: 'help.manual',
		scope: 'help',
		keys: ['m'],
		label: literal('manual'),
		run(shell) {
			const {manual} = shell.pane();
			shell.attempt(async () => {
				if (!(await shell.desktop.manual(manual))) {
					shell.toast(safe`There is no page "${clean(manual)}" in the manual`, 'warn');
				}
			});
		},
	},
	closing('help', ['esc', '?', 'q', 'ctrl+c'], literal('close help')),
	{
		id: 'help.accept',
		scope: 'help',
		keys: ['enter'],
		label: literal('end the search'),
		quiet: true,
		run(shell) {
			changeOverlay(shell, 'help', overlay => ({...overlay, isSearching: false}));
		},
	},
	...(
		[
			['help.down', ['j', 'down'], literal('down'), 1],
			['help.up', ['k', 'up'], literal('up'), -1],
			['help.page-down', ['pgdn', 'ctrl+d', 'space'], literal('page down'), 10],
			['help.page-up', ['pgup', 'ctrl+u'], literal('page up'), -10],
		] as const
	).map(([id, keys, label, rows]): Command => ({
		id,
		scope: 'help',
		keys,
		label,
		run(shell) {
			scrollHelp(shell, rows);
		},
	})),
];
