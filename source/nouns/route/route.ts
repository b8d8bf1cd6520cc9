import type {RouteView} from '../../core/config-view.ts';
import {termsOf, textTerm} from '../../core/filter/terms.ts';
import {compact} from '../../core/names.ts';
import {routePath} from '../../core/route-path.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {sparkline} from '../../terminal/text/sparkline.ts';
import {receiverUrl} from '../delivery/delivery-copies.ts';
import {
	column,
	mainColumn,
	from,
	type AsOf,
	type Column,
	type Noun,
	type ValuePlace,
} from '../noun.ts';
import {lossText, problemText, routeFacts, type RouteMore} from './route-facts.ts';
import {dayParts, isMostlyRefused, trafficKey, type RouteTraffic} from './route-traffic.ts';

/** A route, with what the command line determines without a gateway. */
export type ListedRoute = RouteView & {
	readonly url?: string;
	/** Deliveries of the last day. */
	readonly day?: Pick<RouteTraffic, 'taken' | 'ignored' | 'refused'>;
};

/** A route's unique key: a shadowed route has the same name as another. */
export const routeKey = ({
	profile,
	source,
	name,
}: Pick<RouteView, 'name' | 'profile' | 'source'>): string => `${profile} ${source} ${name}`;

/** The name in a `routeKey`; it may contain blanks. */
export const nameInKey = (key: string): string => key.split(' ').slice(2).join(' ');

/** What happens to an event: `forge_comment`, `cron: digest`, `log per {number}`. */
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

/** The name, which ends the URL; the whole URL path if the route can only be reached below its profile. */
function nameText(route: RouteView, {room}: ValuePlace): string {
	const {profile, name} = route;
	if (profile === 'default') {
		return name;
	}

	const path = routePath(route);
	return widthOf(escapeLine(path)) <= room ? path : `/p/${profile}/…/${name}`;
}

/** Problems that do not prevent a route from being served. */
function troubleText(route: RouteView, known: AsOf & RouteMore): string {
	const {insecure, paused = false, troubles = []} = route;
	return compact([
		paused && 'paused',
		lossText(route, known),
		insecure && 'INSECURE_NO_AUTH',
		...troubles,
	]).join('; ');
}

const wideFrom = 96;

/** Below this width the headings of the counts are abbreviated. */
const wordsFrom = 76;
const dayCells = 12;

/** How `width` cells are divided between a route's name, its events and its target. */
function shares(width: number) {
	const others = width >= wideFrom ? 48 : width >= wordsFrom ? 27 : 23;
	const rest = Math.max(18, width - others);
	const name = Math.min(28, Math.floor(rest * 0.42));
	return {name, events: Math.floor((rest - name) * 0.4)};
}

const trafficIn = (route: RouteView, {traffic}: RouteMore): RouteTraffic | undefined =>
	traffic?.byRoute.get(trafficKey(route));

/** Deliveries of the last 24 hours: `-` for none, empty if not counted. */
const counted = (
	of: 'taken' | 'ignored' | 'refused',
	tone: Column<ListedRoute, RouteMore>['tone'] = () => 'quiet',
): Column<ListedRoute, RouteMore> =>
	column(of, width => (width >= wordsFrom ? of.length : 5), {
		label: (_shown, room) => (room < of.length ? `${of.slice(0, 3)}.` : of),
		align: 'end',
		value(route, known) {
			const count = trafficIn(route, known)?.[of] ?? 0;
			return known.traffic ? String(count || '-') : '';
		},
		tone,
	});

/** Why nothing can be sent to a route; another route may own its name. */
export const notServed = ({name, problem}: RouteView): string | undefined =>
	problem === undefined ? undefined : `Route ${name} is not served: its detail says why`;

/** A route with its events, target and traffic. @see manual/routes.md */
export const routeNoun: Noun<ListedRoute, RouteMore> = {
	one: 'route',
	many: 'routes',
	argument: 'name',
	missing: 'route_not_found',
	id: routeKey,
	name: ({name}) => name,
	sign: route => (problemText(route) !== undefined || route.insecure || route.troubles ? '!' : ' '),
	columns: [
		mainColumn('name', width => shares(width).name, {
			value: (route, _known, place) => nameText(route, place),
			printed: ({name}) => name,
		}),
		mainColumn('source', from(wideFrom, 7), ({source}) => source),
		mainColumn('events', width => shares(width).events, {
			value({events: [first = '*', ...more]}) {
				return more.length > 0 ? `${first} +${more.length}` : first;
			},
			printed: ({events}) => events.join(',') || '*',
		}),
		column(
			'deliver',
			{least: 7},
			{
				value: route =>
					problemText(route) ?? `${route.paused === true ? 'paused, ' : ''}${deliverText(route)}`,
				tone(route) {
					return problemText(route) !== undefined
						? 'bad'
						: route.paused === true
							? 'warn'
							: 'quiet';
				},
				takes: {after: route => (problemText(route) === undefined ? 0 : Infinity)},
				printed: deliverText,
			},
		),
		counted('taken'),
		counted('ignored'),
		counted('refused', (route, known) => {
			const traffic = trafficIn(route, known);
			return !traffic?.refused ? 'quiet' : isMostlyRefused(traffic) ? 'bad' : 'warn';
		}),
		column('day', from(wideFrom, dayCells), {
			label: '24 hours',
			align: 'end',
			value(route, known) {
				const traffic = trafficIn(route, known);
				return traffic ? sparkline(dayParts(traffic, dayCells)) : '';
			},
			tone: () => 'accent',
		}),
		column('url', 0, ({url = ''}) => url),
		column(
			'problem',
			0,
			(route, known) => route.problem ?? route.stale ?? troubleText(route, known),
		),
	],
	printed: {
		columns: 'name source events deliver taken ignored refused url problem'.split(' '),
		whole: ['name', 'source', 'url'],
		optional: ['url', 'events', 'ignored', 'refused', 'taken'],
		empty: 'No routes yet: create one with "svc webhook subscribe NAME"',
	},
	factCells: 13,
	factIndent: 0,
	head: ({name, source}) => [
		{text: name, tone: 'strong'},
		{text: source, tone: 'strong'},
	],
	facts: routeFacts,
	copies: {
		why: notServed,
		of: (route, state) => [
			{key: 'u', label: 'URL', text: receiverUrl(state) + routePath(route)},
			{key: 'c', label: 'signed curl line', text: async port => port.curlLine(route.name)},
		],
	},
	vocabulary: {
		terms: termsOf<ListedRoute>({
			route: textTerm(({name}) => name, {says: 'its name', example: 'route:gh-*'}),
			source: textTerm(({source}) => source, {
				says: '`static` (of config.yaml) or `dynamic`',
				example: 'source:dynamic',
				words: ['static', 'dynamic'],
			}),
			deliver: textTerm(({deliver}) => deliver, {
				says: 'the target of its answers',
				example: 'deliver:forge_comment',
			}),
			mode: textTerm(({mode}) => mode, {says: 'what an event starts', example: 'mode:agent'}),
			profile: textTerm(({profile}) => profile, {says: 'the profile', example: 'profile:work'}),
			job: textTerm(({cronJob = ''}) => cronJob, {
				says: 'the job that it fires',
				example: 'job:nightly',
			}),
			key: textTerm(({coalesceKey = ''}) => coalesceKey, {
				says: 'the coalescing key of its events',
				example: 'key:number',
			}),
		}),
		haystack: ({problem = '', cronJob = '', coalesceKey = '', ...route}) =>
			[
				route.name,
				route.source,
				route.deliver,
				route.mode,
				routePath(route),
				cronJob,
				coalesceKey,
				route.description,
				problem,
				route.paused === true ? 'paused' : '',
			]
				.join('\n')
				.toLowerCase(),
	},
};
