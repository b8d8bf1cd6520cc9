import type {RouteView} from '../../../core/config-view.ts';
import {createMemory, derive} from '../../../core/derive.ts';
import type {RouteCounts} from '../../../core/route-counts.ts';
import type {RotatedRoute, RouteRate} from '../../../core/route-editor.ts';
import type {RunSums} from '../../../core/run-sums.ts';
import type {DeliveryRow} from '../../../core/state.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {routeActs} from '../../../nouns/route/route-acts.ts';
import type {RouteMore} from '../../../nouns/route/route-facts.ts';
import {trafficOf} from '../../../nouns/route/route-traffic.ts';
import {nameInKey, notServed, routeKey, routeNoun} from '../../../nouns/route/route.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {onKeys} from '../../acts/command.ts';
import {goToTraffic} from '../../acts/go-to.ts';
import {openPane} from '../../acts/navigate.ts';
import {unsavedText} from '../../editor/draft.ts';
import {editorSection, editorSections} from '../../editor/editor-sections.ts';
import {editorNow} from '../../editor/editor-state.ts';
import {addRoute, copyRoute, editRoute, showSecret} from '../../editor/open-editor.ts';
import {routeList} from '../../entries/lists.ts';
import {paceOf} from '../../lines/detail.ts';
import {countPart} from '../../lines/title-parts.ts';
import {nounCommands, onSelected} from '../../nouns/acts.ts';
import {listingOf} from '../../nouns/listing.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {Feed} from '../../state/feed.ts';
import type {LoadSource} from '../../state/source.ts';
import type {Destination, Pane, PaneSection} from '../pane.ts';
import {sendTest} from '../traffic/send-event.ts';

/** The route's name in a loader's key, which is that of the route, a blank and a number. */
const nameIn = (key: string): string => nameInKey(key.slice(0, key.lastIndexOf(' ')));

/** The key's number is the version of what the facts depend on. */
const loadedRoutes: LoadSource<Pick<RouteMore, 'facts'>> = {
	async load(port, key) {
		const facts = await port.describeRoute(nameIn(key));
		return facts ? {facts} : {};
	},
};

/** The key's number is a second: the rate is reloaded while it is shown. */
const loadedRates: LoadSource<RouteRate> = {
	load: async (port, key) => port.readRouteRate(nameIn(key)),
};

/** The number of deliveries in the last 24 hours by route, from the journal. */
const loadedCounts: LoadSource<RouteCounts> = {load: async port => port.countRoutes()};

/** The totals of all routes' runs, from the journal. */
const loadedSums: LoadSource<RunSums> = {load: async port => port.sumRuns({by: 'route'})};

/** Counts of the journal are reloaded after this time. */
const countsMs = 30_000;
const secondMs = 1000;
const minuteMs = 60_000;

/** Increases when routes or tool servers change: a route's facts depend on both. */
const versionsIn = derive((feed: Feed) => {
	const remember = createMemory<number>();
	let version = 0;
	return () => {
		const {routes, servers} = feed.get().state;
		return remember([routes, servers], () => (version += 1));
	};
});

const trafficNow = derive(
	(deliveries: readonly DeliveryRow[], minute: number, counts: RouteCounts | undefined) => ({
		deliveries,
		traffic: trafficOf(deliveries, {now: minute * minuteMs, counts}),
	}),
);

const memoryOf = derive((_feed: Feed) => createMemory<RouteMore>());

/** The loader's key for a route's facts or rate; empty for a route that is not served, so that nothing is loaded. */
const keyOf = (route: RouteView | undefined, asOf: number): string =>
	route && route.problem === undefined ? `${routeKey(route)} ${asOf}` : '';

/** The last loaded rate of the selected route. */
function rateNow({list, loader}: Host): RouteRate | undefined {
	const last = loader(loadedRates).last();
	const route = list(routeList).selected();
	return route && last?.key.startsWith(`${routeKey(route)} `) ? last.value : undefined;
}

function known(host: Host): RouteMore {
	const {state, now} = host.feed.get();
	const counts = host.loader(loadedCounts).last()?.value;
	const traffic = trafficNow(state.deliveries, Math.floor(now / minuteMs), counts);
	const [rate, version] = [rateNow(host), versionsIn(host.feed)()];
	const sums = host.loader(loadedSums).last()?.value;
	const canChange = host.port.isReadOnly !== true;
	return memoryOf(host.feed)([traffic, rate, version, sums, canChange], () => ({
		...traffic,
		rate,
		version,
		...(sums && {sums}),
		...(canChange && {canChange}),
	}));
}

const listSection: PaneSection = {
	id: 'routes',
	title: literal('Routes'),
	commands: nounCommands({
		noun: routeNoun,
		acts: routeActs<RotatedRoute>(),
		list: routeList,
		others: [
			onSelected(routeList)(['routes.edit', 'e'], literal('edit'), {changes: true, run: editRoute}),
			onKeys(['routes.add', 'a'], literal('add a route'), {changes: true, run: addRoute}),
			onSelected(routeList)(['routes.duplicate', 'Y'], literal('duplicate'), {
				changes: true,
				run: copyRoute,
			}),
			onSelected(routeList)(['routes.test', 'T'], literal('test event'), {
				changes: true,
				why: notServed,
				run: (shell, {name}) => sendTest(shell, name),
			}),
			onSelected(routeList)(['routes.traffic', 'o'], literal('its traffic'), {
				run: (shell, {name}) => goToTraffic(shell, name),
			}),
		],
		actsLast: true,
		showOnce: (shell, {name, rotated}) => showSecret(shell, {name, pane: 'routes', saved: rotated}),
	}),
	listing: listingOf({
		noun: routeNoun,
		list: routeList,
		known,
		beside: {
			source: loadedRoutes,
			keyOf: (route, more) => keyOf(route, more?.version ?? 0),
			told: loaded => loaded,
		},
	}),
};

const destinations = (shell: Shell): readonly Destination[] =>
	shell.feed.get().state.routes.map(route => ({
		label: safe`go to route ${escapeLine(route.name)}`,
		go() {
			const routes = shell.list(routeList);
			openPane(shell, routeList.id);
			routes.setFilter('');
			routes.select(routeKey(route));
		},
	}));

/** The routes with their senders, filters, prompts and targets. */
export const routesPane: Pane = {
	id: 'routes',
	title: literal('Routes'),
	manual: 'routes',
	empty: () => [
		'No routes.',
		'Add one with `a`, or `svc webhook subscribe NAME --prompt "…"`; it appears here at once.',
		'`:` and "set up" asks for port, secret and a first route.',
	],
	// No event reports that a rate's minute has passed, so time has to be watched.
	countsSeconds: (_state, host) => (rateNow(host)?.used ?? 0) > 0,
	want(host) {
		const {feed, list, loader} = host;
		const {now} = feed.get();
		const isOpen = host.section() === listSection;
		const asked = Math.floor(now / countsMs);
		loader(loadedCounts).want(isOpen ? String(asked) : '');
		const routes = list(routeList);
		const looked = isOpen && host.layout().showsDetail ? routes.selected() : undefined;
		loader(loadedSums).want(looked ? String(Math.floor(now / minuteMs)) : '');
		loader(loadedRates).want(keyOf(looked, Math.floor(now / secondMs)), paceOf(routes));
	},
	sections: [listSection, ...editorSections],
	focus: {
		now: host => editorSection(host) ?? listSection,
		next: host => editorSection(host) !== undefined,
	},
	summary(host) {
		const edited = editorNow(host);
		return edited
			? [[{text: escapeLine(edited.draft.name || 'new route'), tone: 'strong'}]]
			: [countPart(host.list(routeList))];
	},
	unsaved(host) {
		const {draft} = editorNow(host) ?? {};
		return draft && unsavedText(draft);
	},
	destinations,
};
