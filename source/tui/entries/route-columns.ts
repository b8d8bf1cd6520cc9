import type {RouteView} from '../../core/config-view.ts';
import {routePath} from '../../core/route-path.ts';
import type {Safe} from '../../core/untrusted.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {sparkline} from '../../terminal/text/sparkline.ts';
import {clean, type Line} from '../lines/line.ts';
import {dayParts, isMostlyRefused, type RouteTraffic} from './route-traffic.ts';

export type RouteColumns = {
	readonly name: number;
	/** 0 leaves it out: the detail has it. */
	readonly source: number;
	readonly events: number;
	readonly deliver: number;
	/** The last day as a picture; 0 leaves it out. */
	readonly day: number;
};

const countCells = 5;
const counts = 3 * (countCells + 1);
const sourceFrom = 96;
const dayFrom = 96;
const dayCells = 12;

/** How `width` cells are shared. */
export function routeColumns(width: number): RouteColumns {
	const source = width >= sourceFrom ? 7 : 0;
	const day = width >= dayFrom ? dayCells : 0;
	const spent = counts + (source > 0 ? source + 1 : 0) + (day > 0 ? day + 1 : 0);
	const rest = Math.max(18, width - 3 - 2 - spent);
	const name = Math.min(28, Math.floor(rest * 0.42));
	const events = Math.floor((rest - name) * 0.4);
	return {name, source, events, deliver: rest - name - events, day};
}

const optional = (text: Safe, width: number): Safe =>
	width === 0 ? empty : safe`${fit(text, width)} `;

const countText = (text: string): Safe => safe` ${fit(clean(text), countCells, {align: 'end'})}`;

/** The names of the columns. */
export const routeHeader = ({name, source, events, deliver, day}: RouteColumns): Safe =>
	safe`   ${fit(literal('name'), name)} ${optional(literal('source'), source)}${fit(literal('events'), events)} ${fit(literal('deliver'), deliver)}${countText('taken')}${countText('ign.')}${countText('ref.')}${day > 0 ? literal('     24 hours') : empty}`;

/** One route as one row, with what came in for it; a route that is not served as it is written carries `!`, and says why instead. */
export function routeRow(
	route: RouteView,
	{columns, traffic}: {readonly columns: RouteColumns; readonly traffic: RouteTraffic | undefined},
	isSelected: boolean,
): Line {
	const problem = problemText(route);
	const isBad = problem !== undefined;
	const {paused = false} = route;
	const [first = '*', ...more] = route.events;
	const events = more.length > 0 ? `${first} +${more.length}` : first;
	const isRefused = traffic !== undefined && traffic.refused > 0;
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: isBad || route.insecure || route.troubles ? literal('! ') : literal('  '), tone: 'warn'},
		{
			text: safe`${fit(nameText(route, columns.name), columns.name)} ${optional(clean(route.source), columns.source)}${fit(clean(events), columns.events)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		...(isBad
			? [
					{
						text: fit(
							clean(problem),
							columns.deliver + counts + (columns.day > 0 ? columns.day + 1 : 0),
						),
						tone: 'bad' as const,
					},
				]
			: [
					{
						text: fit(clean(`${paused ? 'paused, ' : ''}${deliverText(route)}`), columns.deliver),
						tone: paused ? ('warn' as const) : ('quiet' as const),
					},
					{
						text: safe`${countText(countOf(traffic?.taken))}${countText(countOf(traffic?.ignored))}`,
						tone: 'quiet' as const,
					},
					{
						text: countText(countOf(traffic?.refused)),
						tone: !isRefused ? 'quiet' : isMostlyRefused(traffic) ? 'bad' : 'warn',
					} as const,
					...(columns.day === 0 || !traffic
						? []
						: [
								{
									text: safe` ${sparkline(dayParts(traffic, columns.day))}`,
									tone: 'accent' as const,
								},
							]),
				]),
	];
}

/** In at most five cells. */
const countOf = (count = 0): string => (count === 0 ? '-' : String(count));

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
