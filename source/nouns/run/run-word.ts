import type {Approval} from '../../core/approval.ts';
import {isTurn, originOf} from '../../core/origin.ts';
import {canBeHandedOver, hasEnded, type Run, type RunState} from '../../core/run.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clockTime, dayTime, duration, isSameDay} from '../../terminal/text/time.ts';
import type {Tone} from '../noun.ts';

export type RunWord = {readonly text: Safe; readonly tone: Tone};

/** Each state with its sign: never the colour alone. */
export const runWords: Readonly<Record<RunState, RunWord>> = {
	queued: {text: literal('○ queued'), tone: 'quiet'},
	running: {text: literal('◐ running'), tone: 'accent'},
	delivering: {text: literal('◐ delivering'), tone: 'accent'},
	done: {text: literal('✓ done'), tone: 'good'},
	silent: {text: literal('✓ silent'), tone: 'quiet'},
	failed: {text: literal('✗ failed'), tone: 'bad'},
	cancelled: {text: literal('- cancelled'), tone: 'quiet'},
	interrupted: {text: literal('! interrupted'), tone: 'warn'},
	uncertain: {text: literal('! uncertain'), tone: 'warn'},
	dead: {text: literal('✗ dead'), tone: 'bad'},
	dropped: {text: literal('- dropped'), tone: 'quiet'},
};

/** States recognisable by their sign alone in a list: no other common state has the same one. */
const saidBySign: ReadonlySet<RunState> = new Set(['queued', 'running', 'done', 'failed']);

/** A state in a list: only its sign if that suffices, to leave room for the subject. */
export const signOrWord = ({state}: Run, word: RunWord): Safe =>
	saidBySign.has(state) && word.text === runWords[state].text ? clip(word.text, 1, '') : word.text;

/**
 * The state of a run at `now`: `○ queued until 23:25:10` (with the date if it is another day) before the first try, `◐ delivers again 23:25:10` before a retry. In
 * a list, which has `room`, shortened to `○ until 23:25:10` and `◐ again 23:25:10`. If it waits for `approval` or a login, the deadline is shown instead.
 */
export function runWordAt(
	run: Run,
	now: number,
	{
		room = Infinity,
		approval,
	}: {readonly room?: number; readonly approval?: Approval | undefined} = {},
): RunWord {
	if (approval && !hasEnded(run.state)) {
		const full = safe`! waits approval ${duration(approval.deadline - now)}`;
		const short = safe`! asks ${duration(approval.deadline - now)}`;
		return {text: widthOf(full) <= room ? full : short, tone: 'warn'};
	}

	const word = runWords[run.state];
	const {nextAttemptAt = 0, awaitsLogins} = run;
	if (awaitsLogins && nextAttemptAt > now) {
		const full = safe`! waits login ${duration(nextAttemptAt - now)}`;
		const short = safe`! login ${duration(nextAttemptAt - now)}`;
		return {text: widthOf(full) <= room ? full : short, tone: 'warn'};
	}

	if (hasEnded(run.state) || run.state === 'running' || nextAttemptAt <= now) {
		return word;
	}

	const until = isSameDay(nextAttemptAt, now) ? clockTime(nextAttemptAt) : dayTime(nextAttemptAt);
	const isListed = room !== Infinity;
	if (waitsForItsTime(run)) {
		return {...word, text: isListed ? safe`○ until ${until}` : safe`${word.text} until ${until}`};
	}

	const again = run.state === 'queued' ? literal('○ tries') : literal('◐ delivers');
	return {...word, text: safe`${isListed ? clip(word.text, 1, '') : again} again ${until}`};
}

/** Whether the run was never tried, and has a scheduled start. */
export const waitsForItsTime = ({state, attempt, deliveryAttempt, nextAttemptAt}: Run): boolean =>
	state === 'queued' && attempt === 0 && deliveryAttempt === 0 && nextAttemptAt !== undefined;

/** Whether the run waits until a person logs in. */
export const waitsForLogin = ({awaitsLogins}: Run): boolean => awaitsLogins !== undefined;

/** What a person should know about a state before acting; absent if the word says it all. */
export const runAdvice: Readonly<Partial<Record<RunState, Safe>>> = {
	uncertain: literal(
		'The answer may have arrived: svc ended while handing it over. Verify before trying again.',
	),
	interrupted: literal(
		'Its error says why. Where a tool was at work, verify before trying again; what a loop limit held, `t` lets go on.',
	),
	dead: literal(
		'The answer is kept, but could not be delivered. `t` tries the delivery again, `d` hands it to another target, `D` drops it.',
	),
	failed: literal('The agent ended in an error. `t` runs it again.'),
	cancelled: literal('A person cancelled it. `t` runs it again.'),
	dropped: literal('A person put it away. `t` tries it again.'),
};

/** What a retry repeats, by state; absent: the run cannot be retried. */
const retryFrom: Readonly<Partial<Record<RunState, 'agent' | 'delivery'>>> = {
	failed: 'agent',
	interrupted: 'agent',
	cancelled: 'agent',
	dead: 'delivery',
	uncertain: 'delivery',
};

/** What a retry of this run repeats; for a dropped run, by its state before. */
export const retriedFrom = ({state, dropped}: Pick<Run, 'dropped' | 'state'>) =>
	retryFrom[dropped?.was ?? state];

/** Whether the run waits for its start or its next try. */
const waits = ({state, nextAttemptAt}: Run): boolean =>
	nextAttemptAt !== undefined && !hasEnded(state);

/** Whether the run can be retried, or its next try started now. Not a chat turn: its caller is gone. */
export const canRetry = (run: Run): boolean =>
	!isTurn(originOf(run)) && (retriedFrom(run) !== undefined || waits(run));

/** Why a run's answer cannot be delivered again, the rest of a sentence; `undefined` if it can. */
export function whyNotHandedOver(run: Run): string | undefined {
	if (isTurn(originOf(run))) {
		return 'the caller of the chat that it answered has gone';
	}

	if (!hasEnded(run.state)) {
		return 'it has not ended';
	}

	if (run.state === 'silent') {
		return 'the agent chose to stay silent';
	}

	return run.answer === undefined || !canBeHandedOver(run.state)
		? `it has no answer, so its agent has to run again: svc runs retry ${run.id}`
		: undefined;
}

/** A sentence saying why a redelivered answer may arrive twice; `undefined` if no part of it has arrived. */
export function arrivalDoubt({
	state,
	dropped,
	deliveryAttempt,
	error = '',
}: Run): string | undefined {
	const was = dropped?.was ?? state;
	if (was === 'done') {
		return 'It has arrived: it arrives a second time.';
	}

	if (was === 'uncertain' || (was === 'cancelled' && deliveryAttempt > 0)) {
		return 'It may have arrived, and then arrives a second time: look there first.';
	}

	// The delivery's error names the part that failed.
	const [, part = '1'] = /\(part (\d+) of \d+\)$/.exec(error) ?? [];
	return part === '1'
		? undefined
		: 'Parts of it have arrived: the same place gets only the others, another place gets all of it.';
}

/** Finds a run by number in `runs`, searching from the newest. */
export const runOf = (runs: readonly Run[], id: number | undefined): Run | undefined =>
	id === undefined ? undefined : runs.findLast(run => run.id === id);
