import type {RouteView} from '../../../core/config-view.ts';
import {createMemory} from '../../../core/derive.ts';
import {lossyRoutes} from '../../../core/lost-events.ts';
import type {RouteFacts, RouteRate} from '../../../core/route-editor.ts';
import type {GatewayState} from '../../../core/state.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {dayTime} from '../../../terminal/text/time.ts';
import {openPane} from '../../acts/navigate.ts';
import {editorSection, editorSections} from '../../editor/editor-sections.ts';
import {editorNow} from '../../editor/editor-state.ts';
import {routeKey, routeList, routeVocabulary} from '../../entries/route-list.ts';
import {
	countsKey,
	loadedCounts,
	trafficOf,
	type RoutesTraffic,
} from '../../entries/route-traffic.ts';
import {paceOf, type DetailSource} from '../../lines/detail.ts';
import {clean, type Line} from '../../lines/line.ts';
import {countPart} from '../../lines/title-parts.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {Loader} from '../../state/loader.ts';
import type {LoadSource} from '../../state/source.ts';
import type {Destination, Pane, PaneSection} from '../pane.ts';
import {routeActCommands} from './act-commands.ts';
import {routeChangeCommands} from './change-commands.ts';
import {routeEditCommands} from './edit-commands.ts';
import {routeDetail} from './route-detail.ts';

/** The key is `source name count`: another count as soon as routes or tool servers are other ones. */
const loadedRoutes: LoadSource<RouteFacts> = {
	load: async (port, key) => port.describeRoute(key.split(' ')[1] ?? ''),
};

/** The key is `name second`: asked anew as long as it is looked at. */
const loadedRates: LoadSource<RouteRate> = {
	load: async (port, key) => port.readRouteRate(key.split(' ')[0] ?? ''),
};

/** What is known of the rate of a route that is looked at. */
function rateOf(loads: Loader<RouteRate>, route: RouteView | undefined): RouteRate | undefined {
	const last = loads.last();
	return route && last?.key.startsWith(`${route.name} `) ? last.value : undefined;
}

function createRouteDetail(host: Host): DetailSource {
	const {list, loader, feed} = host;
	const remember = createMemory<readonly Line[]>();
	const count = createMemory<RoutesTraffic>();
	const version = createMemory<{readonly number: number}>();
	let versions = 0;
	const routes = list(routeList);
	const loads = loader(loadedRoutes);
	const rates = loader(loadedRates);
	const dayCounts = loader(loadedCounts);
	const keyOf = ({source, name}: RouteView): string => {
		const {state} = feed.get();
		const {number} = version([state.routes, state.servers], () => {
			versions += 1;
			return {number: versions};
		});
		return `${source} ${name} ${number}`;
	};

	/** Until those of the new version are there, the last ones of this route. */
	const factsOf = (route: RouteView): RouteFacts | undefined => {
		const last = loads.last();
		return last &&
			route.problem === undefined &&
			last.key.startsWith(`${route.source} ${route.name} `)
			? last.value
			: undefined;
	};

	return {
		lines(width) {
			const route = routes.selected();
			const {state, now} = feed.get();
			const minute = Math.floor(now / minuteMs);
			const counts = dayCounts.last()?.value;
			const traffic = count([state.deliveries, minute, counts], () =>
				trafficOf(state.deliveries, {now, counts}),
			);
			const facts = route && factsOf(route);
			const loaded = loads.get();
			const rate = rateOf(rates, route);
			return remember([route, traffic, facts, rate, loaded, width], () =>
				route
					? routeDetail(
							route,
							{
								traffic,
								facts,
								rate,
								now,
								isReadOnly: host.port.isReadOnly === true,
								warnings: [
									...lossTexts(route, state, now),
									...(loaded.status === 'failed' ? [loaded.reason] : []),
								],
							},
							width,
						)
					: [],
			);
		},
		want(isShown) {
			// The list shows them as well.
			const isOpen = host.section() === listSection;
			dayCounts.want(isOpen ? countsKey(feed.get().now) : '', {kind: 'rest', ms: 0});
			const route = isShown ? routes.selected() : undefined;
			const served = route && route.problem === undefined ? route : undefined;
			loads.want(served ? keyOf(served) : '', paceOf(routes));
			const second = Math.floor(feed.get().now / secondMs);
			rates.want(served ? `${served.name} ${second}` : '', paceOf(routes));
		},
	};
}

/** The same as `svc webhook list` says, of what Traffic lists. */
const lossTexts = (route: RouteView, {deliveries}: GatewayState, now: number): readonly string[] =>
	lossyRoutes({deliveries, routes: [route]}, now).map(
		({lastAt, remedy}) =>
			`loses events: the last was answered 429 at ${dayTime(lastAt)}, ${remedy}`,
	);

const secondMs = 1000;
const minuteMs = 60_000;

const destinations = (shell: Shell): readonly Destination[] =>
	shell.feed.get().state.routes.map(route => ({
		label: safe`go to route ${clean(route.name)}`,
		place: literal('Subs'),
		go() {
			const routes = shell.list(routeList);
			openPane(shell, routeList.id);
			routes.setFilter('');
			routes.select(routeKey(route));
		},
	}));

const listSection: PaneSection = {
	id: 'subs',
	title: literal('Subs'),
	commands: [...routeEditCommands, ...routeActCommands, ...routeChangeCommands],
	listing: {
		list: routeList,
		vocabulary: routeVocabulary,
		isLive: false,
		detail: createRouteDetail,
		hasCursor: false,
	},
};

/** Who may send what, and what becomes of it. */
export const subsPane: Pane = {
	id: 'subs',
	title: literal('Subs'),
	short: literal('Subs'),
	manual: 'routes',
	count: ({routes}) => routes.length,
	empty: () => [
		'No routes.',
		'Add one with `a`, or `svc webhook subscribe NAME --prompt "…"`; it appears here at once.',
		'`:` and "set up" asks for port, secret and a first route.',
	],
	isWide: false,
	// Nobody tells that a minute of the rate is over.
	countsSeconds: (_state, {list, loader}) =>
		(rateOf(loader(loadedRates), list(routeList).selected())?.used ?? 0) > 0,
	sections: [listSection, ...editorSections],
	focus: {
		now: host => editorSection(host) ?? listSection,
		hold() {
			// Nothing that comes by itself takes the keyboard here.
		},
		choose() {
			// What is edited says which section has the keyboard.
		},
		next: host => editorSection(host) !== undefined,
		cross: () => false,
	},
	summary(host) {
		const edited = editorNow(host);
		return edited
			? [[{text: clean(edited.draft.name || 'new route'), tone: 'strong'}]]
			: [countPart(host.list(routeList))];
	},
	destinations,
};
