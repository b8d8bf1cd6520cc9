import {literal} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';
import type {Command} from './command.ts';
import {changeInstall, installLayout, installNow} from './install-sheet.ts';

const scrolls = [
	['down', ['j', 'down'], literal('down'), 1],
	['up', ['k', 'up'], literal('up'), -1],
	['page-down', ['pgdn', 'ctrl+d'], literal('page down'), 'page'],
	['page-up', ['pgup', 'ctrl+u'], literal('page up'), '-page'],
	['first', ['g', 'home'], literal('first row'), -Infinity],
	['last', ['G', 'end'], literal('last row'), Infinity],
] as const;

function scroll(shell: Shell, by: (typeof scrolls)[number][3]): void {
	const sheet = installNow(shell);
	if (sheet) {
		const {top, most, height} = installLayout(shell, sheet);
		const page = Math.max(1, height - 1);
		const rows = by === 'page' ? page : by === '-page' ? -page : by;
		changeInstall(shell, {top: Math.max(0, Math.min(most, top + rows))});
	}
}

/** Keys that scroll the sheet of an install link. */
export const installMoving: readonly Command[] = scrolls.flatMap(
	([name, keys, label, by]): Command[] => {
		const command: Command = {
			id: `install.${name}`,
			scope: 'install',
			keys,
			label,
			quiet: shell => {
				const sheet = installNow(shell);
				return name !== 'page-down' || !sheet || installLayout(shell, sheet).most === 0;
			},
			run(shell) {
				scroll(shell, by);
			},
		};
		// The name is typed under what has to be seen: pages of it are turned meanwhile.
		return name.startsWith('page-')
			? [command, {...command, id: `install-text.${name}`, scope: 'install-text', keys: [keys[0]]}]
			: [command];
	},
);
