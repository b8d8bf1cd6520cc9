import type {JobView} from '../../../core/job.ts';
import type {Run} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {runWords} from '../../../nouns/run/run-word.ts';
import {clip, fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime, dayTime, duration, isSameDay} from '../../../terminal/text/time.ts';
import {jobName} from '../../entries/job-key.ts';
import {clean, type Line, type Span} from '../../lines/line.ts';

/** Cells of the columns that give way. */
export type JobColumns = {
	readonly name: number;
	readonly schedule: number;
	/** Room for `in 4:12  15:04:24`, or for the countdown alone. */
	readonly next: number;
};

const cells = {signs: 3, last: 19, open: 4} as const;
const blanks = 4;
const fullNext = 25;
const shortNext = 11;

/** How `width` cells are shared: narrow screens count down, but do not say the time. */
export function jobColumns(width: number): JobColumns {
	const next = width >= 76 ? fullNext : shortNext;
	const rest = Math.max(16, width - cells.signs - next - cells.last - cells.open - blanks);
	const name = Math.min(40, Math.floor(rest * 0.5));
	return {name, schedule: Math.min(40, rest - name), next};
}

/** The names of the columns. */
export const jobHeader = ({name, schedule, next}: JobColumns): Safe =>
	safe`   ${fit(literal('name'), name)} ${fit(literal('schedule'), schedule)} ${fit(literal('next run'), next)} ${fit(literal('last run'), cells.last)} ${fit(literal('open'), cells.open, {align: 'end'})}`;

export type JobFacts = {
	readonly columns: JobColumns;
	/** Milliseconds since 1970. */
	readonly now: number;
	/** The last run, as far as it is known. */
	readonly run: Run | undefined;
};

/** One job as one row; one that cannot be used carries `!` and its problem. */
export function jobRow(job: JobView, {columns, now, run}: JobFacts, isSelected: boolean): Line {
	const {name, schedule, next} = columns;
	const isInvalid = job.state === 'invalid';
	const tone = isSelected ? 'selected' : 'plain';
	const head: Line = [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: isInvalid ? literal('! ') : literal('  '), tone: 'warn'},
		{text: safe`${fit(jobName(job), name)} `, tone},
	];
	if (isInvalid) {
		// It names the schedule where that is what is wrong.
		return [...head, {text: safe`✗ ${clean(job.problem ?? 'invalid')}`, tone: 'bad'}];
	}

	return [
		...head,
		{text: safe`${fit(clean(job.schedule), schedule)} `, tone},
		{
			text: safe`${fit(nextText(job, {now, isShort: next < fullNext}), next)} `,
			tone: job.state === 'active' ? 'plain' : 'quiet',
		},
		lastSpan(job, run),
		{text: safe` ${fit(clean(String(job.open)), cells.open, {align: 'end'})}`, tone: 'quiet'},
	];
}

/** `in 4:12  15:04:24`; the day when it is another one. */
export function nextText(
	{state, nextAt}: JobView,
	{now, isShort}: {readonly now: number; readonly isShort: boolean},
): Safe {
	if (state !== 'active') {
		return clean(state);
	}

	if (nextAt === undefined) {
		return literal('-');
	}

	const left = nextAt <= now ? literal('now') : safe`in ${countdown(nextAt - now)}`;
	const at = isSameDay(nextAt, now) ? clockTime(nextAt) : dayTime(nextAt);
	return isShort ? left : safe`${left}  ${at}`;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `4:12`, `2 d 23 h`. */
const countdown = (ms: number): Safe =>
	ms < dayMs
		? duration(Math.ceil(ms / 1000) * 1000)
		: safe`${Math.floor(ms / dayMs)} d ${Math.floor((ms % dayMs) / hourMs)} h`;

function lastSpan({lastRunId, lastAt}: JobView, run: Run | undefined): Span {
	if (lastRunId === undefined) {
		return {
			text: fit(lastAt === undefined ? literal('never') : clockTime(lastAt), cells.last),
			tone: 'quiet',
		};
	}

	return run
		? {
				text: fit(clip(safe`${runWords[run.state].text} #${lastRunId}`, cells.last), cells.last),
				tone: runWords[run.state].tone ?? 'plain',
			}
		: {text: fit(safe`#${lastRunId}`, cells.last), tone: 'quiet'};
}
