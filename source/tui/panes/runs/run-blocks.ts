import {hasEnded, type Run, type StoredRun, type TranscriptEntry} from '../../../core/run.ts';
import {clean, type Line} from '../line.ts';
import {blockRows, foldMark, type Folds} from './block-rows.ts';
import {blocksOf, msWords, sizeWords, type RunBlock} from './blocks.ts';
import {timelineOf, timelineRows, type TimelineStep} from './timeline.ts';

/** The blocks of a run in the order of the screen. */
export type RunBlocks = {
	/** Absent while there is none. */
	readonly answer: RunBlock | undefined;
	/** Fewer than two have nothing to compare. */
	readonly timeline: readonly TimelineStep[];
	/** The prompt first. */
	readonly steps: readonly RunBlock[];
};

/** The blocks of `run` with what is known of its transcript. `now` is milliseconds since 1970. */
export function runBlocks(
	run: Run,
	{
		stored,
		transcript,
		now,
	}: {
		readonly stored: StoredRun | undefined;
		readonly transcript: readonly TranscriptEntry[];
		readonly now: number;
	},
): RunBlocks {
	const answer = stored?.fullAnswer ?? run.answer;
	const isOver = hasEnded(run.state);
	const steps = blocksOf(transcript, {answer, isOver});
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
	};
}

const common = {facts: '', sign: '', tone: 'plain'} as const;

/** Of a run that has not begun. */
const promptBlock = (stored: StoredRun): RunBlock => ({
	...common,
	key: 'prompt',
	at: stored.createdAt,
	label: 'prompt',
	facts: sizeWords(stored.plan.prompt),
	parts: [{text: stored.plan.prompt, isMarkdown: false, from: stored.plan}],
	isOpen: false,
});

/** `blocks` as rows of `width` cells: the answer first, then where the time went, then the steps. */
export function rowsOfBlocks(
	{answer, timeline, steps}: RunBlocks,
	folds: Folds,
	width: number,
): readonly Line[] {
	return [
		...(answer ? [...blockRows(answer, folds, width)] : []),
		...(timeline.length > 1 ? timelineBlock(timeline, folds, width) : []),
		...steps.flatMap(block => blockRows(block, folds, width)),
	];
}

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
		{text: clean(' '.repeat(' 10:59:16 '.length)), at: [timelineKey]},
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
