import type {Shell} from '../shell/shell.ts';
import {useStore} from '../state/use-store.ts';

/** Whether this region has the keyboard: its cursor is the one on the screen. */
export const useKeyboard = (shell: Shell, region: 'list' | 'detail'): boolean =>
	useStore(
		shell.view,
		state => state.region === region && state.overlay === undefined && state.field === undefined,
	);
