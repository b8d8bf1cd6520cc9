import {literal} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {changeOverlay, close, closing, cycle, isKind} from '../acts/overlay-state.ts';
import type {Shell} from '../shell/shell.ts';

const moveMenu = (shell: Shell, step: number): void => {
	changeOverlay(shell, 'menu', overlay => ({
		...overlay,
		index: cycle(overlay.index + step, overlay.items.length),
	}));
};

/** Keys of a menu, besides those of its items. */
export const menuCommands: readonly Command[] = [
	{
		id: 'menu.choose',
		scope: 'menu',
		keys: ['enter'],
		label: literal('choose'),
		run(shell) {
			const {overlay} = shell.view.get();
			if (isKind(overlay, 'menu')) {
				close(shell);
				overlay.items[overlay.index]?.run();
			}
		},
	},
	{
		id: 'menu.down',
		scope: 'menu',
		keys: ['down', 'tab', 'ctrl+n'],
		label: literal('next'),
		run(shell) {
			moveMenu(shell, 1);
		},
	},
	{
		id: 'menu.up',
		scope: 'menu',
		keys: ['up', 'shift+tab', 'ctrl+p'],
		label: literal('previous'),
		quiet: true,
		run(shell) {
			moveMenu(shell, -1);
		},
	},
	closing('menu', ['esc', 'ctrl+c', 'q']),
];
