import type {Delivery, StoredDelivery} from '../../../core/delivery.ts';
import type {Group} from '../../../core/group.ts';
import type {Run} from '../../../core/run.ts';
import type {DeliveryRow} from '../../../core/state.ts';
import {runWords, type RunWord} from '../../../nouns/run/run-word.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {duration, fullTime} from '../../../terminal/text/time.ts';
import {resultTone, resultWord, shownId} from '../../entries/result-word.ts';
import {blankLine, clean, line, wrapText, type Line} from '../../lines/line.ts';
import {payloadRows} from '../../payload/payload-rows.ts';
import type {Loaded} from '../../state/loader.ts';
import type {Tone} from '../../theme/theme.ts';
import {decisionLines, type DecisionLine} from './decision.ts';
import {duplicateOf} from './duplicate-of.ts';

const markTones: Readonly<Record<DecisionLine['mark'], Tone>> = {
	'✓': 'good',
	'✗': 'bad',
	'-': 'quiet',
};

/** Columns before the detail of a step: ` ✓ signature  `. */
const stepColumns = 14;

export type TrafficSources = {
	readonly loaded: Loaded<StoredDelivery>;
	/** What the delivery led to, as far as it is known. */
	readonly run: Run | undefined;
	/** Where that stands, as its row says it. */
	readonly work?: RunWord | undefined;
	readonly group: Group | undefined;
};

/** The decision, the run or the group, and the payload of one delivery as rows of `width` cells; of a flood the newest. */
export function trafficDetail(
	row: DeliveryRow,
	{loaded, run, work, group}: TrafficSources,
	width: number,
): readonly Line[] {
	const {delivery} = row;
	return [
		...floodRows(row, width),
		[
			{
				text: safe`${shownId(delivery)}  ${clean(delivery.route)}  ${clean(delivery.event)}  `,
				tone: 'strong',
			},
			{text: clean(resultWord(delivery)), tone: resultTone(delivery.outcome)},
		],
		...(delivery.subject === undefined
			? []
			: wrapText(delivery.subject, width).map(text => line(text))),
		line(
			safe`${fullTime(delivery.receivedAt)}  id ${clean(delivery.deliveryId)} (${clean(delivery.idSource)})`,
			'quiet',
		),
		...(delivery.replayOf === undefined
			? []
			: [line(safe`replay of ${clean(delivery.replayOf)}`, 'quiet')]),
		blankLine,
		...decisionRows(delivery, width),
		...duplicateRows(delivery),
		...groupRows(delivery, group),
		...(run ? runRows(run, work, width) : pastRunRows(delivery, work)),
		blankLine,
		...payloadRows(loaded),
	];
}

/** First, last and count of what stands in one row, and what was asked for when that was not always the same. */
function floodRows(row: DeliveryRow, width: number) {
	const {delivery, count, firstAt, routes = []} = row;
	if (count === 1) {
		return [];
	}

	const begin = firstAt ?? delivery.receivedAt;
	const names = routes.toReversed().join(', ');
	const rows: readonly Line[] = [
		line(safe`${clean(resultWord(delivery, count))} in one row`, 'title'),
		line(safe` first ${fullTime(begin)}`),
		line(
			safe` last  ${fullTime(delivery.receivedAt)}, after ${duration(delivery.receivedAt - begin)}`,
		),
		...(routes.length > 1
			? wrapText(`asked for ${names}${count > routes.length ? ' …' : ''}`, width - 1).map(text =>
					line(safe` ${text}`, 'quiet'),
				)
			: []),
		...reasonRows(row, width),
		blankLine,
		line(literal('The newest of them'), 'title'),
	];
	return rows;
}

/** Cells of a count before its reason: ` 12345× `. */
const countCells = 6;

/** Why they were refused, the newest first; nothing where all had the one reason that the decision below says. */
function reasonRows({reasons = [], otherReasons = 0}: DeliveryRow, width: number): readonly Line[] {
	if (reasons.length < 2) {
		return [];
	}

	const known = reasons.toReversed().flatMap(({detail, count}) =>
		wrapText(detail, width - countCells - 2).map((text, index): Line => [
			{
				text: safe` ${fit(index === 0 ? clean(`${count}×`) : literal(''), countCells, {align: 'end'})} `,
				tone: 'quiet',
			},
			{text},
		]),
	);
	const others = clean(`${otherReasons}×`);
	return [
		blankLine,
		line(literal('Reasons'), 'title'),
		...known,
		...(otherReasons > 0
			? [line(safe` ${fit(others, countCells, {align: 'end'})} others`, 'quiet')]
			: []),
	];
}

function duplicateRows(delivery: Delivery): readonly Line[] {
	const holder = duplicateOf(delivery);
	return holder === undefined
		? []
		: [
				blankLine,
				[
					{text: literal('Duplicate'), tone: 'title'},
					{text: safe`  of ${shownId({id: holder})}  o goes there`, tone: 'quiet'},
				],
			];
}

function groupRows(
	{id, group: groupId, runId}: Delivery,
	group: Group | undefined,
): readonly Line[] {
	if (groupId === undefined) {
		return [];
	}

	const opens = runId === undefined ? literal('o opens it') : literal('');
	const title = {text: literal('Group'), tone: 'title'} as const;
	if (!group) {
		return [blankLine, [title, {text: safe`  ${groupId}  ${opens}`, tone: 'quiet'}]];
	}

	const {key, state, count, latest} = group;
	const events = count === 1 ? literal('event') : literal('events');
	return [
		blankLine,
		[title, {text: safe`  ${clean(key)}`}],
		line(safe`  ${clean(state)}, ${count} ${events}  ${opens}`, 'quiet'),
		...(latest === id ? [] : [line(safe`  superseded by ${shownId({id: latest})}`, 'quiet')]),
	];
}

function decisionRows(delivery: Delivery, width: number): readonly Line[] {
	const rows = decisionLines(delivery).flatMap(({mark, step, detail}) =>
		wrapText(clean(detail), width - stepColumns).map((text, index): Line => {
			const tone = mark === '-' ? 'quiet' : 'plain';
			return index === 0
				? [
						{text: safe` ${clean(mark)} `, tone: markTones[mark]},
						{text: clean(step.padEnd(stepColumns - 3)), tone},
						{text, tone},
					]
				: [{text: safe`${clean(' '.repeat(stepColumns))}${text}`, tone}];
		}),
	);
	return [
		[
			{text: literal('Decision'), tone: 'title'},
			{text: clean(`  ${delivery.durationMs.toFixed(1)} ms`), tone: 'quiet'},
		],
		...rows,
	];
}

/** Rows of an answer that stand beside its delivery; pane 7 has all of it. */
const answerRows = 6;

function runRows(run: Run, work: RunWord | undefined, width: number): readonly Line[] {
	const text = run.error ?? run.answer;
	const rows = text === undefined ? [] : wrapText(text, width - 2);
	return [
		blankLine,
		[
			{text: literal('Run'), tone: 'title'},
			{text: safe`  #${run.id}  `},
			work ?? runWords[run.state],
			// A run that has not begun has no target yet.
			{
				text: safe`${run.target === '' ? literal('') : safe`  to ${clean(run.target)}`}  o opens it`,
				tone: 'quiet',
			},
		],
		...rows
			.slice(0, answerRows)
			.map(row => line(safe`  ${row}`, run.error === undefined ? 'plain' : 'bad')),
		...(rows.length > answerRows
			? [line(safe`  … ${rows.length - answerRows} more`, 'quiet')]
			: []),
	];
}

/** Of a run that is in memory no more: how it ended, and the way to all of it. */
const pastRunRows = ({runId}: Delivery, work: RunWord | undefined): readonly Line[] =>
	runId === undefined || !work
		? []
		: [
				blankLine,
				[
					{text: literal('Run'), tone: 'title'},
					{text: safe`  #${runId}  `},
					work,
					{text: literal('  o opens it'), tone: 'quiet'},
				],
			];
