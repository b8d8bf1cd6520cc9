import {SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {canBeDropped, hasEnded, type Run, type RunState, type Target} from '../../core/run.ts';
import type {ErrorCode} from '../../manual/error-codes.ts';
import type {Act} from '../act.ts';
import {field, trimmed} from '../field.ts';
import {arrivalDoubt, canRetry, retriedFrom, runAdvice, whyNotHandedOver} from './run-word.ts';

/** The gateway operations on runs. */
export type RunPort = {
	cancelRun(id: number): Promise<boolean>;
	dropRun(id: number, why: {readonly reason?: string}): Promise<boolean>;
	deliverRun(
		id: number,
		where: {readonly to?: string; readonly chatId?: string},
	): Promise<Target | undefined>;
	retryRun(id: number): Promise<boolean>;
	getRun(id: number): Promise<Run | undefined>;
};

/** The effect of cancelling, by state; the state may change while the dialog is open. */
const cancelEffects: Readonly<Partial<Record<RunState, string>>> = {
	queued: 'The agent does not start.',
	running:
		'The agent stops, and no answer is delivered unless one is on its way by then. What its tools did already stays done.',
	delivering:
		'The agent has answered. No further try is made, but an answer that is on its way may still arrive.',
};

/** The effect of retrying. */
const retryEffect = (run: Run): string =>
	(retriedFrom(run) ?? (run.state === 'queued' ? 'agent' : 'delivery')) === 'agent'
		? `The agent runs again, then its answer goes to ${run.target}.`
		: `The answer that is there goes to ${run.target}.`;

const gone = 'it does not exist';

/** Throws the reason if the run exists; `undefined` if it does not. */
async function refused(
	port: RunPort,
	id: string,
	{code, text}: {readonly code: ErrorCode; readonly text: string | ((run: Run) => string)},
): Promise<undefined> {
	const run = await port.getRun(Number(id));
	if (run) {
		throw new SvcError(code, typeof text === 'string' ? text : text(run));
	}
}

/** Why a run cannot be dropped, and what to do instead; the rest of a sentence. */
const whyNotDropped = ({id, state}: Run): string =>
	hasEnded(state)
		? `it is ${state}: only failed, dead, interrupted and uncertain runs can be dropped`
		: `it has not ended, cancel it: svc runs cancel ${id}`;

/** An object with the text, if it is one. */
const textIn = <Key extends string>(key: Key, value: JsonValue | undefined) =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key widens to string
	(typeof value === 'string' ? {[key]: value} : {}) as {readonly [name in Key]?: string};

/** The effect of dropping, by state. */
const dropEffects: Readonly<Partial<Record<RunState, string>>> = {
	failed: 'It stays listed, as dropped.',
	dead: 'Its answer is kept and goes nowhere. It waits for nobody any more, and stays listed.',
	interrupted:
		'It does not begin again, and its event is done with. Where a loop limit held it, its route goes on.',
	uncertain: 'It is taken as settled, whether its answer arrived or not, and stays listed.',
};

const handOverEffect = ({state, dropped}: Run): string =>
	(dropped?.was ?? state) === 'done'
		? 'Its answer goes out once more, without the agent.'
		: 'Its answer goes out, without the agent.';

/** What can be done with a run. */
export const runActs: ReadonlyArray<Act<Run, RunPort>> = [
	{
		verb: 'cancel',
		key: 'x',
		label: 'cancel (asks)',
		says: 'end a run that has not ended',
		why: ({state}) =>
			cancelEffects[state] === undefined
				? `The run has ended${canBeDropped(state) ? ': D drops it' : ''}`
				: undefined,
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
						text: ({state}) =>
							`Cannot cancel run ${id}: it has ended${canBeDropped(state) ? `, drop it: svc runs drop ${id}` : ''}`,
					});
		},
		gone,
	},
	{
		verb: 'retry',
		key: 't',
		label: 'try again, or now (asks)',
		says: 'put a run that ended badly back in the queue, or start one that waits for its time',
		why: run =>
			canRetry(run) ? undefined : 'A run that is under way, done or silent cannot be tried again',
		ask(run) {
			const advice = runAdvice[run.dropped?.was ?? run.state];
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
						text: `Cannot retry run ${id}: only failed, dead, interrupted, uncertain, cancelled and dropped runs can be retried, and those that wait for their time`,
					});
		},
		gone,
	},
	{
		verb: 'drop',
		key: 'D',
		label: 'drop (asks)',
		says: 'drop runs that ended badly: they need no decision any more, and stay listed as dropped',
		why: run =>
			canBeDropped(run.state)
				? undefined
				: hasEnded(run.state)
					? `The run is ${run.state}: only those that ended badly are dropped`
					: 'The run has not ended: x cancels it',
		ask: ({id, route, state}) => ({
			title: `Drop run #${id} of ${route}`,
			lines: [dropEffects[state] ?? ''],
			act: 'drop it',
		}),
		fields: [
			field('reason', 'text', {
				description: 'Why; it is kept with the run.',
				option: {flags: '--reason <text>'},
				own: trimmed,
				most: 500,
			}),
		],
		all: {
			means: ({state}) => dropEffects[state],
			kind: ({state}) => state,
			done: 'dropped',
			onLine: {},
		},
		async effect(port, id, {told}) {
			const run = Number(id);
			return (await port.dropRun(run, textIn('reason', told?.['reason'])))
				? {said: `Run #${id} is dropped`, json: {run}}
				: refused(port, id, {
						code: 'run_not_droppable',
						text: found => `Cannot drop run ${id}: ${whyNotDropped(found)}`,
					});
		},
		gone,
	},
	{
		verb: 'deliver',
		key: 'd',
		label: 'deliver (asks)',
		says: 'deliver the stored answers of runs again, without the agent',
		why(run) {
			const why = whyNotHandedOver(run);
			return why === undefined ? undefined : `Nothing to deliver: ${why}`;
		},
		ask: run => ({
			title: `Deliver the answer of run #${run.id} of ${run.route}`,
			lines: [handOverEffect(run), ...[arrivalDoubt(run)].filter(text => text !== undefined)],
			act: 'deliver it',
		}),
		fields: [
			field('to', 'text', {
				description:
					'A platform, log or forge_comment. Empty: where the route, or the job, sends answers now.',
				option: {flags: '--to <target>'},
				own: trimmed,
			}),
			field('chatId', 'text', {
				title: 'chat',
				description: 'The chat there. Empty: as configured.',
				option: {flags: '--chat-id <chat>'},
				own: trimmed,
			}),
		],
		all: {
			means: run =>
				whyNotHandedOver(run) === undefined
					? [handOverEffect(run), arrivalDoubt(run) ?? ''].join(' ').trim()
					: undefined,
			kind: ({state}) => state,
			done: 'queued for delivery',
			onLine: {doubt: arrivalDoubt},
		},
		async effect(port, id, {told}) {
			const run = Number(id);
			const target = await port.deliverRun(run, {
				...textIn('to', told?.['to']),
				...textIn('chatId', told?.['chatId']),
			});
			return (
				target && {
					said: `The answer of run #${id} goes to ${target.kind}`,
					json: {run, target: target.kind},
				}
			);
		},
		gone,
	},
];
