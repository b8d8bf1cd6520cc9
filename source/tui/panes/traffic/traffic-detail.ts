import type {Delivery, StoredDelivery} from '../../../core/delivery.ts';
import type {Group} from '../../../core/group.ts';
import type {Run} from '../../../core/run.ts';
import type {DeliveryRow} from '../../../core/state.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {
	decisionLines,
	originalOf,
	resultTone,
	resultWord,
	shownId,
} from '../../../nouns/delivery/delivery-word.ts';
import {runWords, type RunWord} from '../../../nouns/run/run-word.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {duration, fullTime} from '../../../terminal/text/time.ts';
import {blankLine, line, wrapText, type Line, type Span, paragraph} from '../../lines/line.ts';
import {payloadRows} from '../../payload/payload-tree.ts';
import type {Loaded} from '../../state/loader.ts';

type TrafficSources = {
	readonly loaded: Loaded<StoredDelivery>;
	/** The run that the delivery led to, if known. */
	readonly run: Run | undefined;
	/** The run's state, as the row shows it. */
	readonly work?: RunWord | undefined;
	readonly group: Group | undefined;
};

/** A delivery in rows of `width` cells: the decision, the run or group, and the payload; for a flood those of the newest. */
export function trafficDetail(
	row: DeliveryRow,
	{loaded, run, work, group}: TrafficSources,
	width: number,
): readonly Line[] {
	const {delivery} = row;
	const {subject, replayOf} = delivery;
	return [
		...floodRows(row, width),
		[
			{
				text: safe`${shownId(delivery)}  ${escapeLine(delivery.route)}  ${escapeLine(delivery.event)}  `,
				tone: 'strong',
			},
			{text: escapeLine(resultWord(delivery)), tone: resultTone(delivery.outcome)},
		],
		...paragraph(subject, width),
		line(
			safe`${fullTime(delivery.receivedAt)}  id ${escapeLine(delivery.deliveryId)} (${escapeLine(delivery.idSource)})`,
			'quiet',
		),
		...(replayOf === undefined ? [] : [line(safe`replay of ${escapeLine(replayOf)}`, 'quiet')]),
		...decisionRows(delivery, width),
		...duplicateRows(delivery),
		...groupRows(delivery, group),
		...runRows(delivery, {run, work, width}),
		blankLine,
		...payloadRows(loaded),
	];
}

/** A blank row, and a section's first row. */
const heading = (title: Safe, ...rest: readonly Span[]): readonly Line[] => [
	blankLine,
	[{text: title, tone: 'title'}, ...rest],
];

/** The first and last time and the number of deliveries in one row, and their routes if these differ. */
function floodRows(row: DeliveryRow, width: number): readonly Line[] {
	const {delivery, count, firstAt = delivery.receivedAt, routes = []} = row;
	if (count === 1) {
		return [];
	}

	const names = `asked for ${routes.toReversed().join(', ')}${count > routes.length ? ' …' : ''}`;
	return [
		line(safe`${escapeLine(resultWord(delivery, count))} in one row`, 'title'),
		line(safe` first ${fullTime(firstAt)}`),
		line(
			safe` last  ${fullTime(delivery.receivedAt)}, after ${duration(delivery.receivedAt - firstAt)}`,
		),
		...(routes.length > 1
			? wrapText(names, width - 1).map(text => line(safe` ${text}`, 'quiet'))
			: []),
		...reasonRows(row, width),
		...heading(literal('The newest of them')),
	];
}

/** Cells of a count before its reason: ` 12345× `. */
const countCells = 6;

const counted = (text: string): Safe => fit(escapeLine(text), countCells, {align: 'end'});

/** Why the deliveries were refused, newest reason first; empty if all had the one reason that the decision below shows. */
function reasonRows({reasons = [], otherReasons = 0}: DeliveryRow, width: number): readonly Line[] {
	if (reasons.length < 2) {
		return [];
	}

	return [
		...heading(literal('Reasons')),
		...reasons
			.toReversed()
			.flatMap(({detail, count}) =>
				wrapText(detail, width - countCells - 2).map((text, index): Line => [
					{text: safe` ${counted(index === 0 ? `${count}×` : '')} `, tone: 'quiet'},
					{text},
				]),
			),
		...(otherReasons > 0 ? [line(safe` ${counted(`${otherReasons}×`)} others`, 'quiet')] : []),
	];
}

const markTones = {'✓': 'good', '✗': 'bad', '-': 'quiet'} as const;

/** Columns before a step's detail: ` ✓ signature  `. */
const stepColumns = 14;

function decisionRows(delivery: Delivery, width: number): readonly Line[] {
	return [
		...heading(literal('Decision'), {
			text: escapeLine(`  ${delivery.durationMs.toFixed(1)} ms`),
			tone: 'quiet',
		}),
		...decisionLines(delivery).flatMap(({mark, step, detail}) =>
			wrapText(escapeLine(detail), width - stepColumns).map((text, index): Line => {
				const tone = mark === '-' ? 'quiet' : 'plain';
				return index === 0
					? [
							{text: safe` ${escapeLine(mark)} `, tone: markTones[mark]},
							{text: escapeLine(step.padEnd(stepColumns - 3)), tone},
							{text, tone},
						]
					: [{text: safe`${escapeLine(' '.repeat(stepColumns))}${text}`, tone}];
			}),
		),
	];
}

function duplicateRows(delivery: Delivery): readonly Line[] {
	const holder = originalOf(delivery);
	return holder === undefined
		? []
		: heading(literal('Duplicate'), {
				text: safe`  of ${shownId({id: holder})}  o goes there`,
				tone: 'quiet',
			});
}

function groupRows(
	{id, group: groupId, runId}: Delivery,
	group: Group | undefined,
): readonly Line[] {
	if (groupId === undefined) {
		return [];
	}

	const opens = runId === undefined ? literal('o opens it') : literal('');
	if (!group) {
		return heading(literal('Group'), {text: safe`  ${groupId}  ${opens}`, tone: 'quiet'});
	}

	const {key, state, count, latest} = group;
	const events = count === 1 ? literal('event') : literal('events');
	return [
		...heading(literal('Group'), {text: safe`  ${escapeLine(key)}`}),
		line(safe`  ${escapeLine(state)}, ${count} ${events}  ${opens}`, 'quiet'),
		...(latest === id ? [] : [line(safe`  superseded by ${shownId({id: latest})}`, 'quiet')]),
	];
}

/** How many rows of an answer are shown with its delivery; the run shows all. */
const answerRows = 6;

/** The run's state with the beginning of its answer; how it ended, if it is no longer in memory. */
function runRows(
	{runId}: Delivery,
	{run, work, width}: Pick<TrafficSources, 'run' | 'work'> & {readonly width: number},
): readonly Line[] {
	const id = run?.id ?? runId;
	const word = work ?? (run && runWords[run.state]);
	if (id === undefined || !word) {
		return [];
	}

	const {target = '', error, answer} = run ?? {};
	const text = error ?? answer;
	const rows = text === undefined ? [] : wrapText(text, width - 2);
	// A run that has not begun has no target yet.
	const to = target === '' ? literal('') : safe`  to ${escapeLine(target)}`;
	return [
		...heading(literal('Run'), {text: safe`  #${id}  `}, word, {
			text: safe`${to}  o opens it`,
			tone: 'quiet',
		}),
		...rows
			.slice(0, answerRows)
			.map(row => line(safe`  ${row}`, error === undefined ? 'plain' : 'bad')),
		...(rows.length > answerRows
			? [line(safe`  … ${rows.length - answerRows} more`, 'quiet')]
			: []),
	];
}
