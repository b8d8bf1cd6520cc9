import type {RouteView} from '../../../core/config-view.ts';
import {routePath} from '../../../core/route-path.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {fit, widthOf} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clean, type Line} from '../line.ts';

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
	safe`   ${fit(literal('name'), name)} ${fit(literal('source'), sourceCells)} ${fit(literal('events'), events)} ${fit(literal('deliver'), deliver)}`;

/** One route as one row; a route that is not served as it is written carries `!`. */
export function routeRow(route: RouteView, columns: RouteColumns, isSelected: boolean): Line {
	const problem = problemText(route);
	const isBad = problem !== undefined;
	const [first = '*', ...more] = route.events;
	const events = more.length > 0 ? `${first} +${more.length}` : first;
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: isBad || route.insecure ? literal('! ') : literal('  '), tone: 'warn'},
		{
			text: safe`${fit(nameText(route, columns.name), columns.name)} ${fit(clean(route.source), sourceCells)} ${fit(clean(events), columns.events)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		{
			text: fit(clean(problem ?? deliverText(route)), columns.deliver),
			tone: isBad ? 'bad' : 'quiet',
		},
	];
}

/** What is wrong with a route; `undefined`: nothing. */
export function problemText({problem, stale}: RouteView): string | undefined {
	if (problem !== undefined) {
		return `not served: ${problem}`;
	}

	return stale === undefined ? undefined : `served as it was: ${stale}`;
}

/** The name, which ends the address; the whole address where the route is only reached below its profile. */
function nameText(route: RouteView, width: number): Safe {
	const {profile, name} = route;
	if (profile === 'default') {
		return clean(name);
	}

	const path = clean(routePath(route));
	return widthOf(path) <= width ? path : clean(`/p/${profile}/…/${name}`);
}

/** What becomes of an event: `forge_comment`, `cron: digest`, `log per {number}`. */
export function deliverText({mode, deliver, cronJob = '', coalesceKey = ''}: RouteView): string {
	switch (mode) {
		case 'agent':
			return deliver;
		case 'deliver_only':
			return `deliver_only: ${deliver}`;
		case 'cron_job':
			return `cron: ${cronJob}`;
		case 'coalesce':
			return `${deliver} per ${coalesceKey}`;
	}
}
