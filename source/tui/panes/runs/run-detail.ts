import type {Approval} from '../../../core/approval.ts';
import type {Run, StoredRun, TranscriptEntry} from '../../../core/run.ts';
import {hasEnded, toolWords} from '../../../core/run.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {askedFor, askingServer, deadlineText} from '../../approvals/approval-text.ts';
import type {Loaded} from '../../state/loader.ts';
import type {Tone} from '../../theme/theme.ts';
import {blankLine, clean, line, wrapText, type Line} from '../line.ts';
import {clockTime, duration, fullTime} from '../time.ts';
import {shownId} from '../traffic/result-word.ts';
import {runAdvice, runWordAt, waitsForItsTime} from './run-word.ts';

const kindTones: Readonly<Record<TranscriptEntry['kind'], Tone>> = {
	prompt: 'quiet',
	text: 'plain',
	'tool-call': 'accent',
	'tool-result': 'quiet',
	retry: 'warn',
	delivery: 'accent',
	error: 'bad',
	note: 'quiet',
};

/** Columns before the text of an entry: ` 15:04:01 tool-result `. */
const entryColumns = 22;

export type RunSources = {
	/** Entries that came while it was watched. */
	readonly progress: readonly TranscriptEntry[] | undefined;
	readonly loaded: Loaded<StoredRun>;
	readonly now: number;
	/** What it waits for. */
	readonly approval?: Approval | undefined;
};

/** One run with its transcript and its answer as rows of `width` cells. */
export function runDetail(run: Run, sources: RunSources, width: number): readonly Line[] {
	const {loaded} = sources;
	const stored = loaded.status === 'ready' && loaded.value.id === run.id ? loaded.value : undefined;
	const live = sources.progress ?? [];
	// What is stored may be older than what was heard of a run that is under way.
	const transcript =
		stored && (hasEnded(run.state) || live.length < stored.transcript.length)
			? stored.transcript
			: live;
	return [
		[
			{text: safe`#${run.id}  ${clean(run.route)}  ${clean(run.event)}  `, tone: 'strong'},
			runWordAt(run, sources.now, {approval: sources.approval}),
		],
		...approvalRows(sources, width),
		...factRows(run, sources.now),
		...adviceRows(run, width),
		...(run.error === undefined
			? []
			: wrapText(run.error, width - 2).map(row => line(safe`✗ ${row}`, 'bad'))),
		blankLine,
		...transcriptRows(transcript, {loaded, width}),
		...answerRows(stored?.fullAnswer ?? run.answer, width),
	];
}

/** What a run waits for, until when, and the key that answers. */
function approvalRows({approval, now}: RunSources, width: number): readonly Line[] {
	return approval
		? wrapText(
				safe`! ${askingServer(approval)} wants ${askedFor(approval)} · ${deadlineText(approval, now)} · ! to review`,
				width,
			).map(row => line(row, 'warn'))
		: [];
}

function factRows(run: Run, now: number): readonly Line[] {
	const end = run.finishedAt ?? now;
	const took = run.startedAt === undefined ? literal('not started') : duration(end - run.startedAt);
	const wait =
		run.nextAttemptAt === undefined || hasEnded(run.state) || waitsForItsTime(run)
			? literal('')
			: safe`  next try ${clockTime(run.nextAttemptAt)}`;
	return [
		line(
			safe`${fullTime(run.createdAt)}  ${took}  try ${run.attempt}  ${run.toolCalls} tool calls${wait}`,
			'quiet',
		),
		line(safe`to ${clean(run.target)}  model ${clean(run.model ?? '-')}`, 'quiet'),
		...originRows(run),
	];
}

/** What it came of: its delivery, the earlier events that it stands for too, its job. `o` goes there. */
function originRows({delivery, group, superseded = 0, job}: Run): readonly Line[] {
	const parts = [
		...(delivery === undefined ? [] : [safe`delivery ${shownId({id: delivery})}`]),
		...(group === undefined
			? []
			: [
					safe`group ${group}: ${superseded + 1} ${superseded === 0 ? literal('event') : literal('events')}`,
				]),
		...(superseded === 0 ? [] : [safe`${superseded} superseded`]),
		...(job ? [safe`job ${clean(job.name)} (${clean(job.id)})`] : []),
	];
	const [first, ...more] = parts;
	return first === undefined
		? []
		: [
				line(
					more.reduce((text, part) => safe`${text}  ${part}`, first),
					'quiet',
				),
			];
}

function adviceRows({state}: Run, width: number): readonly Line[] {
	const advice = runAdvice[state];
	return advice === undefined ? [] : wrapText(advice, width).map(row => line(row, 'warn'));
}

function transcriptRows(
	entries: readonly TranscriptEntry[],
	{loaded, width}: {readonly loaded: Loaded<StoredRun>; readonly width: number},
): readonly Line[] {
	const title = line(literal('Transcript'), 'title');
	if (entries.length === 0) {
		const reason =
			loaded.status === 'failed'
				? line(safe` ✗ ${clean(loaded.reason)}`, 'bad')
				: line(
						loaded.status === 'loading' ? literal(' loading') : literal(' nothing yet'),
						'quiet',
					);
		return [title, reason];
	}

	return [title, ...entries.flatMap(entry => entryRows(entry, width))];
}

/** Rows of one entry; `e` opens all of it. */
const entryLimit = 40;

function entryRows(entry: TranscriptEntry, width: number): readonly Line[] {
	const {at, kind, text} = entry;
	const tone = kindTones[kind];
	const tool = toolWords(entry);
	const rows = [
		...(tool === undefined ? [] : wrapText(tool, width - entryColumns)),
		...wrapText(text, width - entryColumns),
	];
	const head = safe` ${clockTime(at)} ${clean(kind.padEnd(11))} `;
	return [
		...rows.slice(0, entryLimit).map((row, index): Line => [
			{text: index === 0 ? head : clean(' '.repeat(entryColumns)), tone: 'quiet'},
			{text: row, tone},
		]),
		...(rows.length > entryLimit
			? [
					line(
						safe`${clean(' '.repeat(entryColumns))}… ${rows.length - entryLimit} more, e opens all`,
						'quiet',
					),
				]
			: []),
	];
}

function answerRows(answer: string | undefined, width: number): readonly Line[] {
	return answer === undefined
		? []
		: [
				blankLine,
				line(literal('Answer'), 'title'),
				...wrapText(answer, width - 1).map(row => line(safe` ${row}`)),
			];
}

/** The whole transcript and answer as plain text, for the pager. */
export const runText = (run: StoredRun): string =>
	[
		`run #${run.id} ${run.route} ${run.event} ${run.state}`,
		...run.transcript.map(entry =>
			[`${fullTime(entry.at)} ${entry.kind}`, toolWords(entry), entry.text]
				.filter(part => part !== undefined)
				.join('\n'),
		),
		...(run.fullAnswer === undefined ? [] : [`answer\n${run.fullAnswer}`]),
	].join('\n\n');
