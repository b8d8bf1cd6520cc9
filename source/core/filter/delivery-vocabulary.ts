import {deliveryOutcomes, type Delivery} from '../delivery.ts';
import {derive} from '../derive.ts';
import type {Term, Vocabulary} from './filter.ts';
import {bodyTerm, payloadTerm, type ReceivedBody} from './payload-terms.ts';
import {numberTerm, sinceTerm, textTerm, termsOf} from './terms.ts';

/** A delivery to be filtered: a row of the state, or a delivery of the journal with its request. */
export type FilteredDelivery = {
	readonly delivery: Delivery;
	/** Why other deliveries of its row were refused. */
	readonly reasons?: ReadonlyArray<{readonly detail: string}>;
	/** Reads the received body; absent if bodies are not available. */
	readonly received?: () => ReceivedBody | undefined;
};

const kinds: ReadonlyMap<string, (delivery: Delivery) => boolean> = new Map([
	['flags', delivery => delivery.flags > 0],
	['⚑', delivery => delivery.flags > 0],
	['run', delivery => delivery.runId !== undefined],
	['replay', delivery => delivery.replayOf !== undefined],
]);

const hasTerm: Term<FilteredDelivery> = {
	value: 'word',
	words: ['flags', 'run', 'replay'],
	says: 'what it has or is: invisible characters, a run, a replay',
	example: 'has:flags',
	understand(value, operator) {
		const test = kinds.get(value.toLowerCase());
		return operator === ':' && test
			? {test: ({delivery}) => test(delivery)}
			: {problem: 'has: takes ⚑, flags, run or replay'};
	},
};

const statusNumber = numberTerm<FilteredDelivery>(({delivery}) => delivery.status, {
	says: 'the number of the answer',
	example: 'status>=400',
	field: 'status',
});

const outcomeWord = textTerm<FilteredDelivery>(({delivery}) => delivery.outcome, {
	says: 'the outcome at the receiver',
	example: 'outcome:duplicate',
	words: deliveryOutcomes,
	field: 'outcome',
});

/** `401`, `>=400`, `4xx`, or an outcome such as `duplicate`. */
const statusTerm: Term<FilteredDelivery> = {
	value: 'word',
	words: ['2xx', '4xx', '5xx', ...deliveryOutcomes],
	says: 'the status of the answer, its hundreds, or the outcome',
	example: 'status:4xx',
	understand(value, operator, path) {
		if (/^\d{1,3}$/.test(value)) {
			const isLost = operator === ':' && (Number(value) < 100 || Number(value) > 599);
			return {
				...statusNumber.understand(value, operator, path),
				...(isLost && {doubt: noAnswer(value)}),
			};
		}

		if (operator === ':' && /^[1-5]xx$/i.test(value)) {
			const from = Number(value[0]) * 100;
			const to = from + 99;
			return {
				test: ({delivery: {status}}) => status >= from && status <= to,
				condition: {kind: 'number', field: 'status', from, to},
			};
		}

		return {
			...outcomeWord.understand(value, operator, path),
			...(/^\dxx$/i.test(value) && operator === ':' && {doubt: noAnswer(value)}),
		};
	},
};

const noAnswer = (value: string) => `no answer is a "${value}": 100 to 599, or 2xx, 4xx, 5xx`;

/** Memoised per row: each keystroke runs a filter over 5,000 rows. */
const haystackOf = derive(({delivery, reasons = []}: FilteredDelivery): string => {
	const stop = delivery.trace.find(step => step.verdict === 'stop');
	return [
		delivery.id,
		delivery.profile,
		delivery.route,
		delivery.event,
		delivery.subject ?? '',
		delivery.deliveryId,
		`${delivery.status} ${delivery.outcome}`,
		stop?.detail ?? '',
		...reasons.map(({detail}) => detail),
	]
		.join('\n')
		.toLowerCase();
});

const bytes = {'': 1, b: 1, k: 1000, kb: 1000, m: 1e6, mb: 1e6} as const;

/** The terms of the filter of deliveries. */
export const deliveryVocabulary: Vocabulary<FilteredDelivery> = {
	terms: termsOf<FilteredDelivery>({
		route: textTerm(({delivery}) => delivery.route, {
			says: 'the requested route',
			example: 'route:gh-*',
			field: 'route',
		}),
		event: textTerm(({delivery}) => delivery.event, {
			says: 'the type of the event',
			example: 'event:pull_request',
			field: 'event',
		}),
		subject: textTerm(({delivery}) => delivery.subject ?? '', {
			says: 'what the event is about',
			example: 'subject:"fix flaky"',
		}),
		status: statusTerm,
		outcome: outcomeWord,
		id: textTerm(({delivery}) => `${delivery.id} ${delivery.deliveryId}`, {
			says: 'the identifier of svc or of the sender',
			example: 'id:72d3122e',
			field: 'id',
		}),
		ms: numberTerm(({delivery}) => delivery.durationMs, {
			says: 'the time to the answer',
			example: 'ms>100',
			field: 'ms',
			value: 'duration',
			units: {'': 1, ms: 1, s: 1000},
		}),
		size: numberTerm(({delivery}) => delivery.bodyBytes, {
			says: 'the length of the body',
			example: 'size>100k',
			field: 'size',
			value: 'size',
			units: bytes,
		}),
		since: sinceTerm(({delivery}) => delivery.receivedAt, {
			says: 'received within a span, or since a time of the last day',
			example: 'since:2h',
			field: 'since',
		}),
		has: hasTerm,
		ignored: // The outcome `ignored:filter` contains a colon, so that `ignored` is a term of its own.
			textTerm(({delivery}) => /^ignored:(.*)$/.exec(delivery.outcome)?.[1] ?? '', {
				says: 'the reason why it was ignored',
				example: 'ignored:filter',
				words: ['event', 'filter', 'script', 'own'],
			}),
		payload: payloadTerm,
	}),
	body: bodyTerm,
	haystack: haystackOf,
};
