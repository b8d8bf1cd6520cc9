import type {TranscriptEntry} from '../../../core/run.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {safe} from '../../../terminal/text/safe.ts';
import {clean, type Line} from '../../lines/line.ts';
import {msWords, toolName, tookMs} from './blocks.ts';

/** A stretch of a run. Times are milliseconds since 1970. */
export type TimelineStep = {
	readonly label: string;
	readonly from: number;
	/** When it began to work, after it had waited (for a person, for a place). */
	readonly worksFrom: number;
	readonly to: number;
};

/** The last steps that are drawn. */
const maxSteps = 100;

/** What the model and the tools did, in the order in which they began. What is under way ends at `now`. */
export function timelineOf(
	entries: readonly TranscriptEntry[],
	now: number,
): readonly TimelineStep[] {
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
			// A further try: what lies before it was waiting.
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

/** A row for each step, with a bar where it lies in the run: `·` while it waited, `█` while it worked. */
export function timelineRows(steps: readonly TimelineStep[], width: number): readonly Line[] {
	const room = Math.max(narrowest, width - labelCells - durationCells - 2);
	const start = Math.min(...steps.map(({from}) => from));
	const end = Math.max(...steps.map(({to}) => to));
	const columnOf = (at: number) =>
		Math.min(room - 1, Math.floor(((at - start) / Math.max(1, end - start)) * room));
	return steps.map(({label, from, worksFrom, to}): Line => {
		const [first, work, last] = [columnOf(from), columnOf(worksFrom), columnOf(to)];
		// What is shorter than a cell is still seen.
		const length = Math.max(1, last - work + (to === end ? 1 : 0));
		const bar = ' '.repeat(first) + '·'.repeat(work - first) + '█'.repeat(length);
		return [
			{text: fit(clean(label), labelCells)},
			{text: safe` ${fit(clean(bar), room)}`, tone: label === 'model' ? 'title' : 'accent'},
			{text: safe` ${fit(clean(msWords(to - from)), durationCells, {align: 'end'})}`},
		];
	});
}
