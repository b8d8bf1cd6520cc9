import {literal, safe} from '../../../terminal/text/safe.ts';
import {openPane} from '../../commands/navigate.ts';
import {editorSection, editorSections} from '../../editor/editor-sections.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import {countPart} from '../../shell/title-parts.ts';
import type {DetailSource} from '../detail.ts';
import {clean, type Line} from '../line.ts';
import type {Destination, Pane, PaneSection} from '../pane.ts';
import {createMemory} from '../remember.ts';
import {routeActCommands} from './act-commands.ts';
import {routeChangeCommands} from './change-commands.ts';
import {routeEditCommands} from './edit-commands.ts';
import {routeDetail} from './route-detail.ts';
import {routeKey, routeList, routeVocabulary} from './route-list.ts';
import {trafficOf, type RoutesTraffic} from './route-traffic.ts';
import {SubsBody} from './subs-body.tsx';

function createRouteDetail({list, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const count = createMemory<RoutesTraffic>();
	const routes = list(routeList);
	return {
		lines(width) {
			const route = routes.selected();
			const {state, now} = feed.get();
			const minute = Math.floor(now / minuteMs);
			const traffic = count([state.deliveries, minute], () => trafficOf(state.deliveries, now));
			return remember([route, traffic, width], () =>
				route ? routeDetail(route, traffic, width) : [],
			);
		},
	};
}

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
