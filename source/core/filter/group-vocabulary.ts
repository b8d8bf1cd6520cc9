import type {Group} from '../group.ts';
import type {Term, Vocabulary} from './filter.ts';
import {numberTerm, sinceTerm, textTerm} from './terms.ts';

/** The words of a filter of groups. */
export const groupVocabulary: Vocabulary<Group> = {
	terms: new Map<string, Term<Group>>([
		[
			'route',
			textTerm(group => group.route, {
				says: 'the route of its events',
				example: 'route:gh-review',
				field: 'route',
			}),
		],
		[
			'key',
			textTerm(group => group.key, {says: 'what its events have in common', example: 'key:api#42'}),
		],
		[
			'state',
			textTerm(group => group.state, {
				says: 'whether it waits',
				example: 'state:pending',
				words: ['pending', 'dispatched'],
			}),
		],
		[
			'event',
			textTerm(group => group.event, {says: 'the type of its latest event', example: 'event:push'}),
		],
		[
			'count',
			numberTerm(group => group.count, {
				says: 'how many events it has',
				example: 'count>5',
				field: 'count',
			}),
		],
		['id', numberTerm(group => group.id, {says: 'its number', example: 'id:183', field: 'id'})],
		[
			'since',
			sinceTerm(group => group.lastAt, {
				says: 'its latest event came since: so long ago, or that time of the last day',
				example: 'since:2h',
				field: 'since',
			}),
		],
	]),
	haystack: ({route, key, event, state, latest}) =>
		`${route} ${key} ${event} ${state} ${latest}`.toLowerCase(),
};
