import type {RouteView} from '../../core/config-view.ts';
import type {Term, Vocabulary} from '../../core/filter/filter.ts';
import {textTerm} from '../../core/filter/terms.ts';
import {routePath} from '../../core/route-path.ts';
import {atFirst} from '../list/window.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource} from '../state/source.ts';

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
export const routeVocabulary: Vocabulary<RouteView> = {
	terms: new Map<string, Term<RouteView>>([
		['route', textTerm(route => route.name, {says: 'its name', example: 'route:gh-*'})],
		[
			'source',
			textTerm(route => route.source, {
				says: 'where it is written',
				example: 'source:dynamic',
				words: ['static', 'dynamic'],
			}),
		],
		[
			'deliver',
			textTerm(route => route.deliver, {
				says: 'where answers go',
				example: 'deliver:forge_comment',
			}),
		],
		['mode', textTerm(route => route.mode, {says: 'what an event starts', example: 'mode:agent'})],
		['profile', textTerm(route => route.profile, {says: 'the profile', example: 'profile:work'})],
		[
			'job',
			textTerm(route => route.cronJob ?? '', {
				says: 'the job that it fires',
				example: 'job:nightly',
			}),
		],
		[
			'key',
			textTerm(route => route.coalesceKey ?? '', {
				says: 'what its events have in common',
				example: 'key:number',
			}),
		],
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
			route.paused === true ? 'paused' : '',
		]
			.join('\n')
			.toLowerCase(),
};
