import {originOf, untrustedWords} from '../../../core/origin.ts';
import {hasEnded, type Run, type StoredRun, type TranscriptEntry} from '../../../core/run.ts';
import type {RunSaid} from '../../../core/state.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {runWordAt} from '../../../nouns/run/run-word.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {type Line, type Span} from '../../lines/line.ts';
import {blockRows, foldMark, type Folds} from './block-rows.ts';
import {
	blocksOf,
	msWords,
	sizeWords,
	tookMs,
	toolName,
	wordsBlock,
	type RunBlock,
} from './blocks.ts';

/** The blocks of a run, in display order. */
type RunBlocks = {
	/** Absent if there is none yet. */
	readonly answer: RunBlock | undefined;
	/** With fewer than two steps there is nothing to compare. */
	readonly timeline: readonly TimelineStep[];
	/** The prompt comes first. */
	readonly steps: readonly RunBlock[];
	/** The run's current activity or its result: the last row while the run is watched. */
	readonly end?: Span;
};

type KnownOfRun = {
	readonly stored: StoredRun | undefined;
	readonly transcript: readonly TranscriptEntry[];
	readonly now: number;
	/** The answer being generated. */
	readonly said?: RunSaid | undefined;
	/** The run was seen at work, so its answer stays in its place among the steps. */
	readonly isWatched?: boolean;
};

/** The blocks of `run` with the known part of its transcript. `now` is milliseconds since 1970. */
export function runBlocks(
	run: Run,
	{stored, transcript, now, said, isWatched = false}: KnownOfRun,
): RunBlocks {
	const whole = stored?.fullAnswer ?? run.answer;
	const answer =
		isWatched && whole !== undefined && saidIn(transcript).includes(whole) ? undefined : whole;
	// The transcript heard live from a run that just ended may lack its last steps; those come with its journal, so they are not shown as missing.
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

type EndSources = {
	readonly said: RunSaid | undefined;
	readonly steps: readonly RunBlock[];
	readonly now: number;
};

/** The current activity of `run` in words. */
function endOf(run: Run, {said, steps, now}: EndSources): Span {
	if (run.state !== 'running') {
		return runWordAt(run, now);
	}

	const call = steps.find(({sign}) => sign === '◐');
	return {
		text: said
			? literal('◐ the model writes')
			: call
				? safe`◐ ${escapeLine(call.facts)}`
				: literal('◐ the model thinks'),
		tone: 'accent',
	};
}

const common = {facts: '', sign: '', tone: 'plain'} as const;

const untrustedIn = (run: Run): string | undefined => untrustedWords[originOf(run).kind];

/** The prompt of a run that has not begun. */
const promptBlock = (stored: StoredRun): RunBlock => ({
	...common,
	key: 'prompt',
	at: stored.createdAt,
	label: 'prompt',
	facts: sizeWords(stored.plan.prompt, untrustedIn(stored)),
	parts: [{text: stored.plan.prompt, isMarkdown: false, from: stored.plan}],
	isOpen: false,
});

/** `blocks` in rows of `width` cells: the answer, the timeline, then the steps; for a watched run in the order of events. */
export function rowsOfBlocks(
	{answer, timeline, steps, end}: RunBlocks,
	folds: Folds,
	width: number,
): readonly Line[] {
	const times = timeline.length > 1 ? timelineBlock(timeline, folds, width) : [];
	const stepRows = steps.flatMap(block => blockRows(block, folds, width));
	const answerRows = answer ? blockRows(answer, folds, width) : [];
	// A watched run has no timeline between rows that are being read.
	return end
		? [
				...answerRows,
				...stepRows,
				...times,
				[{text: escapeLine(' '.repeat(noTime)), at: [endKey]}, end],
			]
		: [...answerRows, ...times, ...stepRows];
}

/** Key of a watched run's last row: selecting it follows new steps. */
const endKey = 'end';

/** Cells of ` 10:59:16 ` before a fold mark. */
const noTime = 10;

const timelineKey = 'timeline';

function timelineBlock(
	steps: readonly TimelineStep[],
	folds: Folds,
	width: number,
): readonly Line[] {
	const [first] = steps;
	const isOpen = folds.get(timelineKey) ?? false;
	const took = Math.max(...steps.map(({to}) => to)) - (first?.from ?? 0);
	const head: Line = [
		{text: escapeLine(' '.repeat(noTime)), at: [timelineKey]},
		{text: foldMark(isOpen), tone: 'accent'},
		{text: escapeLine(`time  ${steps.length} steps in ${msWords(took)}`)},
	];
	return isOpen
		? [
				head,
				...timelineRows(steps, width - 1).map((row, index): Line => [
					{text: escapeLine(' '), at: [timelineKey, String(index)]},
					...row,
				]),
			]
		: [head];
}

/** A step on the timeline. Times are milliseconds since 1970. */
type TimelineStep = {
	readonly label: string;
	readonly from: number;
	/** When work began after waiting (for a person or a worker). */
	readonly worksFrom: number;
	readonly to: number;
};

/** How many steps are drawn, counted from the last. */
const maxSteps = 100;

/** Steps of the model and the tools by start time. A step in progress ends at `now`. */
function timelineOf(entries: readonly TranscriptEntry[], now: number): readonly TimelineStep[] {
	const steps: TimelineStep[] = [];
	const open = new Map<unknown, TranscriptEntry[]>();
	let quietSince = entries[0]?.at ?? now;
	for (const entry of entries) {
		const {at, kind, data} = entry;
		if (kind === 'tool-result') {
			const call = open.get(data?.['call'])?.shift();
			const from = Math.min(call?.at ?? at, at);
			const worksFrom = Math.max(from, at - (tookMs(entry) ?? at - from));
			steps.push({label: toolName(entry), from, worksFrom, to: at});
			quietSince = at;
		} else if (kind === 'tool-call' || kind === 'text') {
			if (at > quietSince) {
				steps.push({label: 'model', from: quietSince, worksFrom: quietSince, to: at});
				quietSince = at;
			}

			if (kind === 'tool-call') {
				open.set(data?.['call'], [...(open.get(data?.['call']) ?? []), entry]);
			}
		} else if (kind === 'prompt') {
			// A retry: the time before it was waiting.
			quietSince = at;
		}
	}

	for (const call of [...open.values()].flat()) {
		steps.push({label: toolName(call), from: call.at, worksFrom: call.at, to: now});
	}

	return steps.toSorted((a, b) => a.from - b.from).slice(-maxSteps);
}

const labelCells = 18;
const durationCells = 8;
const narrowest = 8;

/** A row for each step, with a bar at its time: `·` while waiting, `█` while working. */
function timelineRows(steps: readonly TimelineStep[], width: number): readonly Line[] {
	const room = Math.max(narrowest, width - labelCells - durationCells - 2);
	const start = Math.min(...steps.map(({from}) => from));
	const end = Math.max(...steps.map(({to}) => to));
	const columnOf = (at: number) =>
		Math.min(room - 1, Math.floor(((at - start) / Math.max(1, end - start)) * room));
	return steps.map(({label, from, worksFrom, to}): Line => {
		const [first, work, last] = [columnOf(from), columnOf(worksFrom), columnOf(to)];
		// A step shorter than a cell is still visible.
		const length = Math.max(1, last - work + (to === end ? 1 : 0));
		const bar = ' '.repeat(first) + '·'.repeat(work - first) + '█'.repeat(length);
		return [
			{text: fit(escapeLine(label), labelCells)},
			{text: safe` ${fit(escapeLine(bar), room)}`, tone: label === 'model' ? 'title' : 'accent'},
			{text: safe` ${fit(escapeLine(msWords(to - from)), durationCells, {align: 'end'})}`},
		];
	});
}
