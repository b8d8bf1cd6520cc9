import {originOf, untrustedWords} from '../../../core/origin.ts';
import {hasEnded, type Run, type StoredRun, type TranscriptEntry} from '../../../core/run.ts';
import type {RunSaid} from '../../../core/state.ts';
import {runWordAt} from '../../../nouns/run/run-word.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clean, type Line, type Span} from '../../lines/line.ts';
import {blockRows, foldMark, type Folds} from './block-rows.ts';
import {blocksOf, msWords, sizeWords, wordsBlock, type RunBlock} from './blocks.ts';
import {timelineOf, timelineRows, type TimelineStep} from './timeline.ts';

/** The blocks of a run in the order of the screen. */
export type RunBlocks = {
	/** Absent while there is none. */
	readonly answer: RunBlock | undefined;
	/** Fewer than two have nothing to compare. */
	readonly timeline: readonly TimelineStep[];
	/** The prompt first. */
	readonly steps: readonly RunBlock[];
	/** What the run does now, or has come to: the last row while it is watched. */
	readonly end?: Span;
};

/** The blocks of `run` with what is known of its transcript. `now` is milliseconds since 1970. */
export function runBlocks(
	run: Run,
	{
		stored,
		transcript,
		now,
		said,
		isWatched = false,
	}: {
		readonly stored: StoredRun | undefined;
		readonly transcript: readonly TranscriptEntry[];
		readonly now: number;
		/** What the model is saying. */
		readonly said?: RunSaid | undefined;
		/** It was seen at work: its answer stays where it came. */
		readonly isWatched?: boolean;
	},
): RunBlocks {
	const whole = stored?.fullAnswer ?? run.answer;
	const answer =
		isWatched && whole !== undefined && saidIn(transcript).includes(whole) ? undefined : whole;
	// What was heard of a run that has just ended may lack its last steps: they are not missing, they come with its journal.
	const isOver = stored ? hasEnded(stored.state) : hasEnded(run.state) && !isWatched;
	const told = blocksOf(transcript, {answer, isOver, untrusted: untrustedIn(run)});
	const steps = said ? [...told, wordsBlock(said)] : told;
	const hasPrompt = transcript.some(({kind}) => kind === 'prompt');
	return {
		answer:
			answer === undefined
				? undefined
				: {
						...common,
						key: 'answer',
						at: run.finishedAt ?? now,
						label: 'answer',
						parts: [{text: answer, isMarkdown: true, from: stored ?? run}],
						isOpen: true,
					},
		timeline: timelineOf(transcript, run.finishedAt ?? now),
		steps: stored && !hasPrompt ? [promptBlock(stored), ...steps] : steps,
		...(isWatched && {end: endOf(run, {said, steps, now})}),
	};
}

const saidIn = (transcript: readonly TranscriptEntry[]): string =>
	transcript.flatMap(({kind, text}) => (kind === 'text' ? [text] : [])).join('\n\n');

/** What `run` does now, in words. */
function endOf(
	run: Run,
	{
		said,
		steps,
		now,
	}: {
		readonly said: RunSaid | undefined;
		readonly steps: readonly RunBlock[];
		readonly now: number;
	},
): Span {
	if (run.state !== 'running') {
		return runWordAt(run, now);
	}

	const call = steps.find(({sign}) => sign === '◐');
	return {
		text: said
			? literal('◐ the model writes')
			: call
				? safe`◐ ${clean(call.facts)}`
				: literal('◐ the model thinks'),
		tone: 'accent',
	};
}

const common = {facts: '', sign: '', tone: 'plain'} as const;

const untrustedIn = (run: Run): string | undefined => untrustedWords[originOf(run).kind];

/** Of a run that has not begun. */
const promptBlock = (stored: StoredRun): RunBlock => ({
	...common,
	key: 'prompt',
	at: stored.createdAt,
	label: 'prompt',
	facts: sizeWords(stored.plan.prompt, untrustedIn(stored)),
	parts: [{text: stored.plan.prompt, isMarkdown: false, from: stored.plan}],
	isOpen: false,
});

/** `blocks` as rows of `width` cells: the answer first, then where the time went, then the steps; of a run that is watched as it comes. */
export function rowsOfBlocks(
	{answer, timeline, steps, end}: RunBlocks,
	folds: Folds,
	width: number,
): readonly Line[] {
	const times = timeline.length > 1 ? timelineBlock(timeline, folds, width) : [];
	const stepRows = steps.flatMap(block => blockRows(block, folds, width));
	const answerRows = answer ? blockRows(answer, folds, width) : [];
	// Nothing comes between what is being read.
	return end
		? [...answerRows, ...stepRows, ...times, [{text: clean(' '.repeat(noTime)), at: [endKey]}, end]]
		: [...answerRows, ...times, ...stepRows];
}

/** Of the last row of a run that is watched: who chooses it follows what comes. */
const endKey = 'end';

/** Cells of ` 10:59:16 ` before a fold mark. */
const noTime = 10;

export const timelineKey = 'timeline';

function timelineBlock(
	steps: readonly TimelineStep[],
	folds: Folds,
	width: number,
): readonly Line[] {
	const [first] = steps;
	const isOpen = folds.get(timelineKey) ?? false;
	const took = Math.max(...steps.map(({to}) => to)) - (first?.from ?? 0);
	const head: Line = [
		{text: clean(' '.repeat(noTime)), at: [timelineKey]},
		{text: foldMark(isOpen), tone: 'accent'},
		{text: clean(`time  ${steps.length} steps in ${msWords(took)}`)},
	];
	return isOpen
		? [
				head,
				...timelineRows(steps, width - 1).map((row, index): Line => [
					{text: clean(' '), at: [timelineKey, String(index)]},
					...row,
				]),
			]
		: [head];
}
