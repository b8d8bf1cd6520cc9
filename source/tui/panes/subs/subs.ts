import type {RouteView} from '../../../core/config-view.ts';
import {lossyRoutes} from '../../../core/lost-events.ts';
import type {RouteFacts} from '../../../core/route-editor.ts';
import type {GatewayState} from '../../../core/state.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {openPane} from '../../commands/navigate.ts';
import {editorSection, editorSections} from '../../editor/editor-sections.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {LoadSource} from '../../shell/source.ts';
import {countPart} from '../../shell/title-parts.ts';
import {paceOf, type DetailSource} from '../detail.ts';
import {clean, type Line} from '../line.ts';
import type {Destination, Pane, PaneSection} from '../pane.ts';
import {createMemory} from '../remember.ts';
import {dayTime} from '../time.ts';
import {routeActCommands} from './act-commands.ts';
import {routeChangeCommands} from './change-commands.ts';
import {routeEditCommands} from './edit-commands.ts';
import {routeDetail} from './route-detail.ts';
import {routeKey, routeList, routeVocabulary} from './route-list.ts';
import {trafficOf, type RoutesTraffic} from './route-traffic.ts';
import {SubsBody} from './subs-body.tsx';

/** The key is `source name count`: another count as soon as routes or tool servers are other ones. */
const loadedRoutes: LoadSource<RouteFacts> = {
	load: async (port, key) => port.describeRoute(key.split(' ')[1] ?? ''),
};

function createRouteDetail({list, loader, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const count = createMemory<RoutesTraffic>();
	const version = createMemory<{readonly number: number}>();
	let versions = 0;
	const routes = list(routeList);
	const loads = loader(loadedRoutes);
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
			const traffic = count([state.deliveries, minute], () => trafficOf(state.deliveries, now));
			const facts = route && factsOf(route);
			const loaded = loads.get();
			return remember([route, traffic, facts, loaded, width], () =>
				route
					? routeDetail(
							route,
							{
								traffic,
								facts,
								now,
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
			const route = isShown ? routes.selected() : undefined;
			loads.want(route && route.problem === undefined ? keyOf(route) : '', paceOf(routes));
		},
	};
}

/** The same as `svc webhook list` says, of what Traffic lists. */
const lossTexts = (route: RouteView, {deliveries}: GatewayState, now: number): readonly string[] =>
	lossyRoutes({deliveries, routes: [route]}, now).map(
		({lastAt, remedy}) =>
			`loses events: the last was answered 429 at ${dayTime(lastAt)}, ${remedy}`,
	);

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
	],
	Body: SubsBody,
	isWide: false,
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
	summary: ({list}) => [countPart(list(routeList))],
	destinations,
};
