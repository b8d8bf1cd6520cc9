import {stopAll} from '../../core/clock.ts';
import type {InputFrontend} from '../../terminal/input/input-frontend.ts';
import type {TerminalModes} from '../../terminal/modes.ts';
import type {Shell} from '../shell/shell.ts';

type FocusSources = {
	readonly frontend: InputFrontend;
	readonly modes: Pick<TerminalModes, 'setFocusReports'>;
};

/**
 * While a sheet is open the terminal says when its window gets the focus: a key that comes right then was meant for something else. So was a
 * click. Returns the way out.
 */
export function watchFocus(shell: Shell, {frontend, modes}: FocusSources): () => void {
	return stopAll([
		frontend.onWindowFocus(isFocused => {
			if (isFocused) {
				shell.guard.focused();
			}
		}),
		frontend.onMouse(({t}) => shell.guard.disturbed(t)),
		shell.view.subscribe(() =>
			modes.setFocusReports(shell.view.get().overlay?.kind === 'approval'),
		),
	]);
}
