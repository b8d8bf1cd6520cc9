import type {Delivery} from '../../../core/delivery.ts';
import type {DeliveryRow} from '../../../core/state.ts';
import type {Term, Vocabulary} from '../../filter/filter.ts';
import {numberTerm, sinceTerm, textTerm} from '../../filter/terms.ts';
import {rowsBelow, type ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';

/** What was received, as far as the state holds it. */
export const deliveryList: ListSource<List<DeliveryRow>> = {
	id: 'traffic',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: row => row.key,
			vocabulary: trafficVocabulary,
			read: state => state.deliveries,
			height: rowsBelow(host, 1),
			filter,
		}),
};

const kinds: ReadonlyMap<string, (delivery: Delivery) => boolean> = new Map([
	['⚑', delivery => delivery.flags > 0],
	['flags', delivery => delivery.flags > 0],
	['run', delivery => delivery.runId !== undefined],
	['replay', delivery => delivery.replayOf !== undefined],
]);

const hasTerm: Term<DeliveryRow> = (value, operator) => {
	const test = kinds.get(value.toLowerCase());
	return operator === ':' && test
		? {test: ({delivery}) => test(delivery)}
		: {problem: 'has: takes ⚑, flags, run or replay'};
};

const statusNumber = numberTerm<DeliveryRow>(({delivery}) => delivery.status, {'': 1});
const outcomeWord = textTerm<DeliveryRow>(({delivery}) => delivery.outcome);

/** `401`, `>=400`, `4xx`, or a result word such as `duplicate`. */
const statusTerm: Term<DeliveryRow> = (value, operator) => {
	if (/^\d{1,3}$/.test(value)) {
		return statusNumber(value, operator);
	}

	if (operator === ':' && /^[1-5]xx$/i.test(value)) {
		const hundreds = Number(value[0]);
		return {test: ({delivery}) => Math.floor(delivery.status / 100) === hundreds};
	}

	return outcomeWord(value, operator);
};

const haystacks = new WeakMap<DeliveryRow, string>();

/** Built once per row: a filter over 5,000 of them is looked up on every key. */
function haystackOf(row: DeliveryRow): string {
	const known = haystacks.get(row);
	if (known !== undefined) {
		return known;
	}

	const {delivery, reasons = []} = row;
	const stop = delivery.trace.find(step => step.verdict === 'stop');
	const text = [
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
	haystacks.set(row, text);
	return text;
}

/** The words of the Traffic filter: `route: event: subject: status: outcome: id: ms> size> since: has:⚑ ignored:`. */
export const trafficVocabulary: Vocabulary<DeliveryRow> = {
	terms: new Map<string, Term<DeliveryRow>>([
		['route', textTerm(({delivery}) => delivery.route)],
		['event', textTerm(({delivery}) => delivery.event)],
		['subject', textTerm(({delivery}) => delivery.subject ?? '')],
		['status', statusTerm],
		['outcome', outcomeWord],
		['id', textTerm(({delivery}) => `${delivery.id} ${delivery.deliveryId}`)],
		['ms', numberTerm(({delivery}) => delivery.durationMs, {'': 1, ms: 1, s: 1000})],
		[
			'size',
			numberTerm(({delivery}) => delivery.bodyBytes, {
				'': 1,
				b: 1,
				k: 1000,
				kb: 1000,
				m: 1e6,
				mb: 1e6,
			}),
		],
		['since', sinceTerm(({delivery}) => delivery.receivedAt)],
		['has', hasTerm],
		// `ignored:filter` is an outcome that holds what parts a name from its value.
		['ignored', textTerm(({delivery}) => /^ignored:(.*)$/.exec(delivery.outcome)?.[1] ?? '')],
	]),
	haystack: haystackOf,
};
