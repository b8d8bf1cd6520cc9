import {chatText, originKinds, originOf} from '../origin.ts';
import {runStates, type Run} from '../run.ts';
import type {Vocabulary} from './filter.ts';
import {numberTerm, sinceTerm, textTerm, termsOf} from './terms.ts';

/** The words of a filter of runs. */
export const runVocabulary: Vocabulary<Run> = {
	terms: termsOf<Run>({
		route: textTerm(run => run.route, {
			says: 'the route of its event',
			example: 'route:gh-review',
			field: 'route',
		}),
		state: textTerm(run => run.state, {
			says: 'its state',
			example: 'state:dead,uncertain',
			words: runStates,
			field: 'state',
		}),
		event: textTerm(run => run.event, {says: 'the type of its event', example: 'event:push'}),
		subject: textTerm(run => run.subject ?? '', {
			says: 'what its event is about',
			example: 'subject:"fix flaky"',
		}),
		target: textTerm(run => run.target, {
			says: 'the target of its answer',
			example: 'target:forge_comment',
			field: 'target',
		}),
		job: textTerm(({job}) => (job ? `${job.name} ${job.id}` : ''), {
			says: 'the name or identifier of its job',
			example: 'job:nightly',
		}),
		from: textTerm(run => originOf(run).kind, {
			says: 'its origin',
			example: 'from:key,person',
			words: originKinds,
		}),
		chat: textTerm(chatText, {
			says: 'the conversation on a platform that it answers, or who wrote there',
			example: 'chat:telegram:12345',
		}),
		group: numberTerm(({group}) => group ?? Number.NaN, {
			says: 'the number of its group',
			example: 'group:12',
		}),
		id: numberTerm(run => run.id, {says: 'its number', example: 'id>=180', field: 'id'}),
		since: sinceTerm(run => run.createdAt, {
			says: 'queued since: a span ago, or a time of the last day',
			example: 'since:1d',
			field: 'since',
		}),
	}),
	haystack: ({
		id,
		route,
		event,
		subject = '',
		state,
		target,
		delivery = '',
		job,
		error = '',
		dropped,
		conversation,
	}) =>
		[
			`#${id}`,
			route,
			event,
			subject,
			state,
			target,
			delivery,
			job?.name ?? '',
			job?.id ?? '',
			error,
			dropped?.reason ?? '',
			...(conversation ? [chatText({conversation})] : []),
		]
			.join(' ')
			.toLowerCase(),
};
