import type {Approval} from '../../../core/approval.ts';
import {compact} from '../../../core/names.ts';
import {isTurn, originOf, originWords} from '../../../core/origin.ts';
import {
	type Run,
	type StoredRun,
	type TranscriptEntry,
	hasEnded,
	prefetchWords,
	targetWords,
	tookWords,
	toolWords,
	usageWords,
} from '../../../core/run.ts';
import {loginCommand} from '../../../core/shell-words.ts';
import type {RunSaid} from '../../../core/state.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {wantsText} from '../../../nouns/approval/approval-words.ts';
import {shownId} from '../../../nouns/delivery/delivery-word.ts';
import {droppedWords} from '../../../nouns/run/run-facts.ts';
import {runAdvice, runWordAt, waitsForItsTime, waitsForLogin} from '../../../nouns/run/run-word.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime, duration, fullTime} from '../../../terminal/text/time.ts';
import {blankLine, line, paragraph, wrapText, type Line} from '../../lines/line.ts';
import type {Loaded} from '../../state/loader.ts';
import type {Folds} from './block-rows.ts';
import type {RunBlock} from './blocks.ts';
import {rowsOfBlocks, runBlocks} from './run-blocks.ts';

type RunSources = {
	/** Transcript entries received while the run was watched. */
	readonly progress: readonly TranscriptEntry[] | undefined;
	/** The answer being generated. */
	readonly said?: RunSaid | undefined;
	/** The run was seen at work. */
	readonly isWatched?: boolean;
	readonly loaded: Loaded<StoredRun>;
	readonly now: number;
	/** The request that the run waits for. */
	readonly approval?: Approval | undefined;
	readonly folds: Folds;
};

const nothingHeard: readonly TranscriptEntry[] = [];

/** A run in rows of `width` cells: its outcome, its answer, its timeline, its steps. */
export function runDetail(run: Run, sources: RunSources, width: number): readonly Line[] {
	const {loaded, now, progress: live = nothingHeard} = sources;
	const stored = loaded.status === 'ready' && loaded.value.id === run.id ? loaded.value : undefined;
	const origin = originOf(run);
	const subject = run.subject ?? stored?.plan.subject;
	// The stored run may be older than the state of a run in progress.
	const isStoredNewer =
		stored && (hasEnded(stored.state) || live.length < stored.transcript.length);
	const transcript = isStoredNewer ? stored.transcript : live;
	const blocks = runBlocks(run, {...sources, stored, transcript});
	const hasBlocks = blocks.answer !== undefined || blocks.steps.length > 0;
	return [
		[
			{
				text: safe`#${run.id}  ${escapeLine(isTurn(origin) ? originWords(origin) : run.route)}  ${escapeLine(run.event)}  `,
				tone: 'strong',
			},
			runWordAt(run, now, {approval: sources.approval}),
		],
		...(subject === undefined ? [] : [line(safe`about ${escapeLine(subject)}`)]),
		...paragraph(
			sources.approval && safe`${wantsText(sources.approval, now)} · ! to review`,
			width,
			'warn',
		),
		...loginRows(run, now, width),
		...factRows(run, {now, heard: blocks.steps}, width),
		...paragraph(
			stored?.plan.prefetch && `prefetch: ${prefetchWords(stored.plan.prefetch)}`,
			width,
			'quiet',
		),
		...paragraph(runAdvice[run.state], width, 'warn'),
		...paragraph(run.dropped && `dropped ${droppedWords(run)}`, width, 'quiet'),
		...(run.error === undefined
			? []
			: wrapText(run.error, width - 2).map(row => line(safe`✗ ${row}`, 'bad'))),
		blankLine,
		...(hasBlocks ? rowsOfBlocks(blocks, sources.folds, width) : [emptyRow(loaded)]),
	];
}

function emptyRow(loaded: Loaded<StoredRun>): Line {
	if (loaded.status === 'failed') {
		return line(safe` ✗ ${escapeLine(loaded.reason)}`, 'bad');
	}

	return line(loaded.status === 'loading' ? literal(' loading') : literal(' nothing yet'), 'quiet');
}

/** Which logins a run waits for, until when, and what to do. */
function loginRows(
	{awaitsLogins = [], profile, nextAttemptAt = 0}: Run,
	now: number,
	width: number,
): readonly Line[] {
	const rest = duration(Math.max(0, nextAttemptAt - now));
	return awaitsLogins.flatMap(name =>
		paragraph(
			safe`! waits for a login to ${escapeLine(name)}: ${escapeLine(loginCommand({profile, name}))} · ${rest} left, then it goes on without · t starts it now`,
			width,
			'warn',
		),
	);
}

/** What the run used, in one line if it fits: tries, tools, tokens and cost, time, model. */
function factRows(
	run: Run,
	{now, heard}: {readonly now: number; readonly heard: readonly RunBlock[]},
	width: number,
): readonly Line[] {
	// The journal counts a call only once the model has answered.
	const tools = Math.max(run.toolCalls, heard.filter(({label}) => label === 'tool').length);
	const facts = [
		`try ${run.attempt}`,
		`${tools} ${tools === 1 ? 'tool call' : 'tool calls'}`,
		...(run.usage ? [`tokens ${usageWords(run.usage)}`] : []),
		tookWords(run, now) ?? 'not started',
	].join(' · ');
	const isWaiting =
		run.nextAttemptAt !== undefined &&
		!hasEnded(run.state) &&
		!waitsForItsTime(run) &&
		!waitsForLogin(run);
	return [
		...paragraph(facts, width),
		line(
			compact([
				fullTime(run.createdAt),
				run.target !== '' && safe`to ${escapeLine(targetWords(run))}`,
				run.model !== undefined && safe`model ${escapeLine(run.model)}`,
			]).reduce((text, part) => safe`${text}  ${part}`),
			'quiet',
		),
		...(isWaiting ? [line(nextTryText(run.nextAttemptAt ?? 0, now), 'warn')] : []),
		...originRows(run, width),
	];
}

/** When the next try begins. A due run that does not begin waits for a worker, or for its chat's rate limit. */
const nextTryText = (at: number, now: number): Safe =>
	at > now
		? safe`next try ${clockTime(at)} · t starts it now`
		: safe`next try due since ${clockTime(at)}: it waits for its turn`;

/** What caused the run: its delivery, superseded events, its job. `o` goes there. */
function originRows({delivery, group, superseded = 0, job}: Run, width: number): readonly Line[] {
	const parts = compact([
		delivery !== undefined && safe`delivery ${shownId({id: delivery})}`,
		group !== undefined &&
			safe`group ${group}: ${superseded + 1} ${superseded === 0 ? literal('event') : literal('events')}`,
		superseded > 0 && safe`${superseded} superseded`,
		job && safe`job ${escapeLine(job.name)} (${escapeLine(job.id)})`,
	]);
	return parts.length === 0 ? [] : paragraph(parts.join('  '), width, 'quiet');
}

/** The whole transcript and answer as plain text for the pager. */
export const runText = (run: StoredRun): string =>
	compact([
		`run #${run.id} ${run.route} ${run.event} ${run.state}`,
		...run.transcript.map(entry =>
			compact([`${fullTime(entry.at)} ${entry.kind}`, toolWords(entry), entry.text]).join('\n'),
		),
		run.fullAnswer !== undefined && `answer\n${run.fullAnswer}`,
	]).join('\n\n');
