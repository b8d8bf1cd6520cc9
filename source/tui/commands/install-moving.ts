import type {Command} from '../acts/command.ts';
import type {Shell} from '../shell/shell.ts';
import {changeInstall, installLayout, installNow} from './install-sheet.ts';
import {scrolledRows, type SheetScroll, sheetScrolls} from './sheet-scrolls.ts';

function scroll(shell: Shell, by: SheetScroll): void {
	const sheet = installNow(shell);
	if (sheet) {
		const {top, most, height} = installLayout(shell, sheet);
		changeInstall(shell, {top: Math.max(0, Math.min(most, top + scrolledRows(by, height)))});
	}
}

/** Keys that scroll the sheet of an install link. */
export const installMoving: readonly Command[] = sheetScrolls.flatMap(
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
