import type {RouteView} from '../../core/config-view.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clean, type Line} from '../panes/line.ts';
import {fit} from '../text/fit.ts';
import {own, ui} from '../text/safe.ts';

export type RouteColumns = {
	readonly name: number;
	readonly events: number;
	readonly deliver: number;
};

const sourceCells = 7;
const fixed = 3 + sourceCells + 3;

/** How `width` cells are shared. */
export function routeColumns(width: number): RouteColumns {
	const rest = Math.max(18, width - fixed);
	const name = Math.min(28, Math.floor(rest * 0.36));
	const events = Math.floor((rest - name) * 0.5);
	return {name, events, deliver: rest - name - events};
}

/** The names of the columns. */
export const routeHeader = ({name, events, deliver}: RouteColumns): Safe =>
	ui`   ${fit(own('name'), name)} ${fit(own('source'), sourceCells)} ${fit(own('events'), events)} ${fit(own('deliver'), deliver)}`;

/** One route as one row; a route that is not served carries `!`. */
export function routeRow(route: RouteView, columns: RouteColumns, isSelected: boolean): Line {
	const isBad = route.problem !== undefined;
	const [first = '*', ...more] = route.events;
	const events = more.length > 0 ? `${first} +${more.length}` : first;
	const deliver = route.mode === 'agent' ? route.deliver : `${route.mode}: ${route.deliver}`;
	return [
		{text: isSelected ? own('>') : own(' '), tone: 'accent'},
		{text: isBad || route.insecure ? own('! ') : own('  '), tone: 'warn'},
		{
			text: ui`${fit(clean(route.name), columns.name)} ${fit(clean(route.source), sourceCells)} ${fit(clean(events), columns.events)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		{
			text: fit(clean(isBad ? `not served: ${route.problem ?? ''}` : deliver), columns.deliver),
			tone: isBad ? 'bad' : 'quiet',
		},
	];
}
