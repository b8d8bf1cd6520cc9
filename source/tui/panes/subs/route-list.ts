import type {RouteView} from '../../../core/config-view.ts';
import {atFirst} from '../../list/window.ts';
import {rowsBelow, type ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';
import {routeKey, routeVocabulary} from './route-key.ts';

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
