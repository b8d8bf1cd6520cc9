import type {RouteView} from '../../../core/config-view.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {addRoute, copyRoute, editRoute} from '../../editor/open-editor.ts';
import {routeList} from '../../entries/route-list.ts';
import type {Shell} from '../../shell/shell.ts';

const selected = ({list}: Shell): RouteView | undefined => list(routeList).selected();

const noRoute = (shell: Shell) => (selected(shell) ? undefined : literal('No route is selected'));

const withSelected =
	(act: (shell: Shell, route: RouteView) => void) =>
	(shell: Shell): void => {
		const route = selected(shell);
		if (route) {
			act(shell, route);
		}
	};

/** How the form of a route is reached. */
export const routeEditCommands: readonly PaneCommand[] = [
	{
		id: 'subs.edit',
		changes: true,
		keys: ['e'],
		label: literal('edit'),
		why: noRoute,
		run: withSelected(editRoute),
	},
	{
		id: 'subs.add',
		changes: true,
		keys: ['a'],
		label: literal('add a route'),
		run: addRoute,
	},
	{
		id: 'subs.duplicate',
		changes: true,
		keys: ['Y'],
		label: literal('duplicate'),
		why: noRoute,
		run: withSelected(copyRoute),
	},
];
