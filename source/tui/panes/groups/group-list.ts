import type {Group} from '../../../core/group.ts';
import type {Term, Vocabulary} from '../../filter/filter.ts';
import {numberTerm, sinceTerm, textTerm} from '../../filter/terms.ts';
import {atFirst} from '../../list/window.ts';
import type {ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';
import {groupOrder} from './group-order.ts';
import {shownSections} from './sections.ts';

/** Groups that wait, then those that were dispatched. */
export const groupList: ListSource<List<Group>> = {
	id: 'groups',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: group => String(group.id),
			vocabulary: groupVocabulary,
			read: state => groupOrder(state.groups).all,
			height: () => shownSections(host).groupRows,
			position: atFirst,
			filter,
		}),
};

/** The words of the Groups filter: `route: key: state: event: count> since:` and free text. */
const groupVocabulary: Vocabulary<Group> = {
	terms: new Map<string, Term<Group>>([
		['route', textTerm(group => group.route)],
		['key', textTerm(group => group.key)],
		['state', textTerm(group => group.state)],
		['event', textTerm(group => group.event)],
		['count', numberTerm(group => group.count, {'': 1})],
		['since', sinceTerm(group => group.lastAt)],
	]),
	haystack: ({route, key, event, state, latest}) =>
		`${route} ${key} ${event} ${state} ${latest}`.toLowerCase(),
};
