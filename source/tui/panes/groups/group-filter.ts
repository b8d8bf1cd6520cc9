import type {Group} from '../../../core/group.ts';
import type {Term, Vocabulary} from '../../filter/filter.ts';
import {numberTerm, sinceTerm, textTerm} from '../../filter/terms.ts';

/** The words of the Groups filter: `route: key: state: event: count> since:` and free text. */
export const groupVocabulary: Vocabulary<Group> = {
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
