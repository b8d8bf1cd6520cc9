import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import {deliveryVocabulary} from '../../core/filter/delivery-vocabulary.ts';
import {prettyJson} from '../../core/json.ts';
import {quotedName} from '../../core/names.ts';
import type {Run} from '../../core/run.ts';
import type {DeliveryRow} from '../../core/state.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {safe} from '../../terminal/text/safe.ts';
import {clockTime, preciseTime, printableTime} from '../../terminal/text/time.ts';
import {aboutText} from '../about.ts';
import {column, mainColumn, fact, from, type Fact, type Noun, type ValuePlace} from '../noun.ts';
import {deliveryCopies} from './delivery-copies.ts';
import {
	decisionLines,
	resultText,
	resultTone,
	resultWord,
	shownId,
	signOf,
	type WorkOf,
} from './delivery-word.ts';

/** What rows and facts depend on besides the delivery, as far as a face knows it. */
export type DeliveryMore = {
	/** The state of each delivery's run or group. */
	readonly workOf?: WorkOf;
	/** Runs by number, for a list queried by run states. */
	readonly runs?: ReadonlyMap<number, Run>;
	/** The selected delivery with its payload. */
	readonly stored?: StoredDelivery;
};

/** Cells of a time to the millisecond. */
const preciseCells = 12;

/** The event's subject, followed by its type if both fit; only the type if the payload has no subject. */
function subjectText({event, subject}: Delivery, room: number): Safe {
	const type = escapeLine(event);
	if (subject === undefined || subject === '') {
		return type;
	}

	const about = aboutText(subject, room);
	return widthOf(about) + widthOf(type) + 2 <= room ? safe`${about}  ${type}` : about;
}

/** Without a column for the run, its state replaces the result. */
const workInResult = (
	{delivery}: DeliveryRow,
	{workOf}: DeliveryMore,
	{shows}: ValuePlace,
): ReturnType<WorkOf> =>
	shows('run') || delivery.outcome === 'delivery' ? undefined : workOf?.(delivery);

function printedRun({delivery: {runId, group}}: DeliveryRow, {runs}: DeliveryMore): string {
	if (runId !== undefined) {
		return `#${runId} ${runs?.get(runId)?.state ?? ''}`.trimEnd();
	}

	return group === undefined ? '' : `group ${group}`;
}

/** A row for a single delivery. */
export const rowOf = (delivery: Delivery): DeliveryRow => ({key: delivery.id, delivery, count: 1});

/** An inbound event and its outcome; the screen shows a flood as one row. @see manual/receiver.md */
export const deliveryNoun: Noun<DeliveryRow, DeliveryMore> = {
	one: 'delivery',
	many: 'deliveries',
	argument: 'id',
	argumentSays: 'identifier, or at least its last four characters',
	missing: 'delivery_not_found',
	id: ({key}) => key,
	name: ({delivery}) => `delivery ${shownId(delivery)}`,
	sign: ({delivery}) => signOf(delivery),
	columns: [
		column('id', 0, ({delivery}) => delivery.id),
		mainColumn('time', width => (width >= 100 ? preciseCells : 8), {
			value: ({delivery: {receivedAt}, firstAt = receivedAt}, _known, {room}) =>
				room >= preciseCells ? preciseTime(firstAt) : clockTime(firstAt),
			printed: ({delivery}) => printableTime(delivery.receivedAt),
		}),
		mainColumn('route', {share: 0.3, least: 3, most: 24}, ({delivery, routes = []}) =>
			routes.length > 1 ? '(several)' : delivery.route,
		),
		column('event', 0, ({delivery}) => delivery.event),
		mainColumn(
			'subject',
			{least: 7},
			{
				value: ({delivery}, _known, {room}) => subjectText(delivery, room),
				printed: ({delivery}) => delivery.subject ?? '',
			},
		),
		column('result', 18, {
			takes: {before: 'blanks'},
			value(row, known, place) {
				const work = workInResult(row, known, place);
				return work
					? safe`${row.delivery.status} ${work.text}`
					: resultText(row.delivery, row.count);
			},
			tone: (row, known, place) =>
				workInResult(row, known, place)?.tone ?? resultTone(row.delivery.outcome),
			printed: ({delivery}) => resultWord(delivery),
		}),
		column('run', from(92, 12), {
			value: ({delivery}, {workOf}) => workOf?.(delivery)?.text ?? '',
			tone: ({delivery}, {workOf}) => workOf?.(delivery)?.tone ?? 'plain',
			printed: printedRun,
		}),
		column('ms', from(76, 5), {
			align: 'end',
			value: ({delivery}) => String(Math.round(delivery.durationMs)),
		}),
		column('why', 0, ({delivery}, {runs}) => (runs && runs.get(delivery.runId ?? 0)?.error) ?? ''),
	],
	printed: {
		columns: ['id', 'time', 'route', 'event', 'subject', 'result', 'ms', 'run'],
		whole: ['id', 'time', 'run'],
		optional: ['ms', 'event'],
		empty: 'No deliveries yet: send one with "svc webhook test NAME"',
	},
	factCells: 11,
	head: ({delivery}) => [
		{text: `${delivery.id}  ${delivery.route}  ${delivery.event}`, tone: 'strong'},
		{text: resultWord(delivery), tone: resultTone(delivery.outcome)},
	],
	facts: deliveryFacts,
	vocabulary: deliveryVocabulary,
	copies: {of: deliveryCopies},
};

function deliveryFacts({delivery}: DeliveryRow, {stored, runs}: DeliveryMore): readonly Fact[] {
	const {group, runId} = delivery;
	const {node} = runs?.get(runId ?? 0) ?? {};
	const at = node === undefined ? '' : ` at gateway ${node}`;
	return [
		...fact('subject', delivery.subject),
		...fact(
			'received',
			`${printableTime(delivery.receivedAt)}, answered in ${delivery.durationMs.toFixed(1)} ms`,
		),
		...fact('delivery id', `${delivery.deliveryId} (${delivery.idSource})`),
		...fact('profile', delivery.profile === 'default' ? undefined : delivery.profile),
		...fact('replay of', delivery.replayOf),
		...fact('group', group === undefined ? undefined : `${group} (svc groups show ${group})`),
		...fact('run', runId === undefined ? undefined : `#${runId}${at} (svc runs show ${runId})`),
		{title: 'decision'},
		...decisionLines(delivery).map(({mark, step, detail}) => {
			const start = `${mark} ${step.padEnd(10)} `;
			// A refused signature may have several possible reasons, one per line.
			const reasons = step === 'signature' ? detail.split('; ') : [detail];
			return {text: start + reasons.join(`\n${' '.repeat(start.length)}`)};
		}),
		...(stored ? storedFacts(stored) : []),
	];
}

const storedFacts = (stored: StoredDelivery): readonly Fact[] => [
	{title: 'headers'},
	...Object.entries(stored.headers).map(([name, value]) => ({
		text: `${quotedName(name)}: ${value}`,
	})),
	{title: `body (${stored.bodyBytes} bytes)`},
	{text: readableBody(stored) ?? '(not kept)'},
];

/** The body as text, JSON indented with its numbers unchanged; `undefined` if it was not stored. */
export function readableBody({body}: StoredDelivery): string | undefined {
	const text = body && new TextDecoder().decode(body);
	return text && (prettyJson(text) ?? text);
}
