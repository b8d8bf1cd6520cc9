import type {JobView} from '../../../core/job.ts';
import type {Run, StoredRun} from '../../../core/run.ts';
import {runWords} from '../../../nouns/run/run-word.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {fullTime} from '../../../terminal/text/time.ts';
import {jobName} from '../../entries/job-key.ts';
import {blankLine, clean, line, wrapText, type Line} from '../../lines/line.ts';
import type {Loaded} from '../../state/loader.ts';
import {nextText} from './job-columns.ts';

export type JobSources = {
	/** The last run: as the list has it, and with its whole answer. */
	readonly run: Run | undefined;
	readonly loaded: Loaded<StoredRun>;
	/** Milliseconds since 1970. */
	readonly now: number;
};

/** One job and the answer of its last run as rows of `width` cells. */
export function jobDetail(job: JobView, sources: JobSources, width: number): readonly Line[] {
	const {now} = sources;
	return [
		line(safe`${jobName(job)}  ${clean(job.state)}`, 'strong'),
		...(job.problem === undefined
			? []
			: wrapText(`✗ ${job.problem}`, width).map(row => line(row, 'bad'))),
		blankLine,
		fact('id', job.id),
		fact('profile', job.profile),
		fact('schedule', job.schedule),
		fact('time zone', job.timeZone),
		fact('next run', nextText(job, {now, isShort: false})),
		fact('last fired', job.lastAt === undefined ? 'never' : fullTime(job.lastAt)),
		fact('open runs', String(job.open)),
		fact('deliver', job.deliver),
		...lastRunRows(job, sources, width),
	];
}

const fact = (name: string, value: string): Line => [
	{text: clean(`${name.padEnd(12)} `), tone: 'quiet'},
	{text: clean(value)},
];

function lastRunRows(
	{lastRunId}: JobView,
	{run, loaded}: JobSources,
	width: number,
): readonly Line[] {
	if (lastRunId === undefined) {
		return [];
	}

	const whole =
		loaded.status === 'ready' && loaded.value.id === lastRunId ? loaded.value : undefined;
	const stored: Run | undefined = whole ?? run;
	const answer = whole?.fullAnswer ?? stored?.answer;
	return [
		blankLine,
		[
			{text: literal('Last run'), tone: 'title'},
			{text: safe`  #${lastRunId}  `},
			...(stored ? [runWords[stored.state]] : []),
			{text: literal('  o opens it'), tone: 'quiet'},
		],
		...(stored?.error === undefined
			? []
			: wrapText(`✗ ${stored.error}`, width - 1).map(row => line(safe` ${row}`, 'bad'))),
		...(answer === undefined
			? [
					line(
						loaded.status === 'loading' ? literal(' loading') : literal(' no answer yet'),
						'quiet',
					),
				]
			: wrapText(answer, width - 1).map(row => line(safe` ${row}`))),
	];
}
