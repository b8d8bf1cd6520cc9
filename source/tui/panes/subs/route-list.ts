import type {RouteView} from '../../../core/config-view.ts';
import {routePath} from '../../../core/route-path.ts';
import type {Term, Vocabulary} from '../../filter/filter.ts';
import {textTerm} from '../../filter/terms.ts';
import {atFirst} from '../../list/window.ts';
import {rowsBelow, type ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';

/** The routes of all profiles. */
export const routeList: ListSource<List<RouteView>> = {
	id: 'subs',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: routeKey,
			vocabulary: routeVocabulary,
			read: state => state.routes,
			height: rowsBelow(host, 1),
			position: atFirst,
			filter,
		}),
};

/** What a route is remembered by: a shadowed one has the name of the other. */
export const routeKey = ({profile, source, name}: RouteView): string =>
	`${profile} ${source} ${name}`;

/** The words of the Subs filter: `route: source: deliver: mode: profile: job: key:` and free text. */
const routeVocabulary: Vocabulary<RouteView> = {
	terms: new Map<string, Term<RouteView>>([
		['route', textTerm(route => route.name)],
		['source', textTerm(route => route.source)],
		['deliver', textTerm(route => route.deliver)],
		['mode', textTerm(route => route.mode)],
		['profile', textTerm(route => route.profile)],
		['job', textTerm(route => route.cronJob ?? '')],
		['key', textTerm(route => route.coalesceKey ?? '')],
	]),
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
		]
			.join('\n')
			.toLowerCase(),
};
