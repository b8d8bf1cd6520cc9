import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import type {Run} from '../../core/run.ts';
import {blankLine, clean, line, wrapText, type Line} from '../panes/line.ts';
import {bytes, fullTime} from '../panes/time.ts';
import {runWords} from '../runs/run-word.ts';
import type {Loaded} from '../state/loader.ts';
import {own, ui} from '../text/safe.ts';
import type {Tone} from '../theme/theme.ts';
import {decisionLines, type DecisionLine} from './decision.ts';
import {payloadTree} from './payload-tree.ts';
import {resultTone, resultWord, shownId} from './result-word.ts';

const markTones: Readonly<Record<DecisionLine['mark'], Tone>> = {
	'✓': 'good',
	'✗': 'bad',
	'-': 'quiet',
};

/** Columns before the detail of a step: ` ✓ signature  `. */
const stepColumns = 14;

/** The decision, the run and the payload of one delivery as rows of `width` cells. */
export function trafficDetail(
	delivery: Delivery,
	{loaded, run}: {readonly loaded: Loaded<StoredDelivery>; readonly run: Run | undefined},
	width: number,
): readonly Line[] {
	return [
		[
			{
				text: ui`${shownId(delivery)}  ${clean(delivery.route)}  ${clean(delivery.event)}  `,
				tone: 'strong',
			},
			{text: clean(resultWord(delivery)), tone: resultTone(delivery.outcome)},
		],
		line(
			ui`${fullTime(delivery.receivedAt)}  id ${clean(delivery.deliveryId)} (${clean(delivery.idSource)})`,
			'quiet',
		),
		...(delivery.replayOf === undefined
			? []
			: [line(ui`replay of ${clean(delivery.replayOf)}`, 'quiet')]),
		blankLine,
		...decisionRows(delivery, width),
		...runRows(run, width),
		blankLine,
		...payloadRows(loaded),
	];
}

function decisionRows(delivery: Delivery, width: number): readonly Line[] {
	const rows = decisionLines(delivery).flatMap(({mark, step, detail}) =>
		wrapText(clean(detail), width - stepColumns).map((text, index): Line => {
			const tone = mark === '-' ? 'quiet' : 'plain';
			return index === 0
				? [
						{text: ui` ${clean(mark)} `, tone: markTones[mark]},
						{text: clean(step.padEnd(stepColumns - 3)), tone},
						{text, tone},
					]
				: [{text: ui`${clean(' '.repeat(stepColumns))}${text}`, tone}];
		}),
	);
	return [
		[
			{text: own('Decision'), tone: 'title'},
			{text: clean(`  ${delivery.durationMs.toFixed(1)} ms`), tone: 'quiet'},
		],
		...rows,
	];
}

/** Rows of an answer that stand beside its delivery; pane 7 has all of it. */
const answerRows = 6;

function runRows(run: Run | undefined, width: number): readonly Line[] {
	if (!run) {
		return [];
	}

	const word = runWords[run.state];
	const text = run.error ?? run.answer;
	const rows = text === undefined ? [] : wrapText(text, width - 2);
	return [
		blankLine,
		[
			{text: own('Run'), tone: 'title'},
			{text: ui`  #${run.id}  `},
			word,
			{text: ui`  to ${clean(run.target)}  o opens it`, tone: 'quiet'},
		],
		...rows
			.slice(0, answerRows)
			.map(row => line(ui`  ${row}`, run.error === undefined ? 'plain' : 'bad')),
		...(rows.length > answerRows ? [line(ui`  … ${rows.length - answerRows} more`, 'quiet')] : []),
	];
}

function payloadRows(loaded: Loaded<StoredDelivery>): readonly Line[] {
	switch (loaded.status) {
		case 'loading':
			return [line(own('Payload  loading'), 'quiet')];
		case 'missing':
			return [line(own('Payload  not kept for this delivery'), 'quiet')];
		case 'failed':
			return [line(ui`Payload  ✗ ${clean(loaded.reason)}`, 'bad')];
		case 'ready': {
			return bodyRows(loaded.value);
		}
	}
}

function bodyRows({body}: StoredDelivery): readonly Line[] {
	if (!body) {
		return [line(own('Payload  not kept for this delivery'), 'quiet')];
	}

	const {lines, flags, isCut} = payloadTree(body);
	return [
		[
			{text: own('Payload'), tone: 'title'},
			{
				text: ui`  untrusted · ${flags} control · ${lines.length} lines · ${bytes(body.length)}`,
				tone: flags > 0 ? 'warn' : 'quiet',
			},
		],
		...lines.map(text => line(ui` ${text}`)),
		...(isCut ? [line(own(' … e opens the rest in $PAGER'), 'quiet')] : []),
	];
}
