import {SvcError} from '../../core/errors.ts';
import {hasEnded, type Run, type RunState} from '../../core/run.ts';
import type {ErrorCode} from '../../manual/error-codes.ts';
import type {Act} from '../noun.ts';
import {canRetry, retryFrom, runAdvice} from './run-word.ts';

/** What can be asked for runs: a part of what a gateway does. */
export type RunPort = {
	cancelRun(id: number): Promise<boolean>;
	retryRun(id: number): Promise<boolean>;
	getRun(id: number): Promise<Run | undefined>;
};

/** What cancelling means; what is under way may go on while the dialog is open. */
const cancelEffects: Readonly<Partial<Record<RunState, string>>> = {
	queued: 'The agent does not start.',
	running:
		'The agent stops, and no answer is delivered unless one is on its way by then. What its tools did already stays done.',
	interrupted: 'It waits for a person: this drops it, and its event.',
	delivering:
		'The agent has answered. No further try is made, but an answer that is on its way may still arrive.',
};

/** What another try does. */
const retryEffect = (run: Run): string =>
	(retryFrom[run.state] ?? (run.state === 'queued' ? 'agent' : 'delivery')) === 'agent'
		? `The agent runs again, then its answer goes to ${run.target}.`
		: `The answer that is there goes to ${run.target}.`;

const gone = 'it does not exist';

/** Why nothing was done with a run that is there. `undefined`: there is none. */
async function refused(
	port: RunPort,
	id: string,
	{code, text}: {readonly code: ErrorCode; readonly text: string},
): Promise<undefined> {
	if (await port.getRun(Number(id))) {
		throw new SvcError(code, text);
	}
}

/** What can be done with a run. */
export const runActs: ReadonlyArray<Act<Run, RunPort>> = [
	{
		verb: 'cancel',
		key: 'x',
		label: 'cancel (asks)',
		says: 'end a run that has not ended, or drop one that is interrupted',
		why: ({state}) => (cancelEffects[state] === undefined ? 'The run has ended' : undefined),
		ask: ({id, route, state}) => ({
			title: `Cancel run #${id} of ${route}`,
			lines: [cancelEffects[state] ?? 'The run has ended.'],
			act: 'cancel the run',
		}),
		all: {
			means: ({state}) => cancelEffects[state],
			kind: ({state}) => state,
			done: 'cancelled',
		},
		async effect(port, id) {
			return (await port.cancelRun(Number(id)))
				? {said: `Run #${id} is cancelled`, json: {run: Number(id)}}
				: refused(port, id, {
						code: 'run_ended',
						text: `Cannot cancel run ${id}: it has ended`,
					});
		},
		gone,
	},
	{
		verb: 'retry',
		key: 't',
		label: 'try again, or now (asks)',
		says: 'put a run that ended badly back in the queue, or let one that waits for its time start now',
		why: run =>
			canRetry(run) ? undefined : 'A run that is under way, done or silent cannot be tried again',
		ask(run) {
			const advice = runAdvice[run.state];
			const isAgain = hasEnded(run.state);
			return {
				title: isAgain
					? `Try run #${run.id} of ${run.route} again`
					: `Let run #${run.id} of ${run.route} start now`,
				lines: [
					...(advice === undefined ? [] : [advice]),
					...(run.awaitsLogins ?? []).map(
						name => `It goes on without a login to ${name}, and without its tools.`,
					),
					retryEffect(run),
				],
				act: isAgain ? 'try again' : 'start now',
			};
		},
		all: {
			means: run => (canRetry(run) ? retryEffect(run) : undefined),
			kind: ({state}) => state,
			done: 'retried',
		},
		async effect(port, id) {
			return (await port.retryRun(Number(id)))
				? {said: `Run #${id} is queued again`, json: {run: Number(id)}}
				: refused(port, id, {
						code: 'run_not_retryable',
						text: `Cannot retry run ${id}: only failed, dead, interrupted, uncertain and cancelled runs can be retried, and those that wait for their time`,
					});
		},
		gone,
	},
];
