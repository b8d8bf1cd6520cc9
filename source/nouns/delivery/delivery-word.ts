import {
	traceOrder,
	unresolvedIn,
	wholeTrace,
	type Delivery,
	type DeliveryOutcome,
	type TraceStepName,
	type ReceiverAnswer,
} from '../../core/delivery.ts';
import {derive} from '../../core/derive.ts';
import {parsedObject} from '../../core/json.ts';
import type {GatewayState} from '../../core/state.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Tone} from '../noun.ts';
import {runWords, type RunWord} from '../run/run-word.ts';

const tones: Readonly<Record<DeliveryOutcome, Tone>> = {
	accepted: 'good',
	coalesced: 'good',
	delivered: 'good',
	'ignored:event': 'quiet',
	'ignored:filter': 'quiet',
	'ignored:script': 'quiet',
	'ignored:own': 'quiet',
	challenge: 'quiet',
	duplicate: 'quiet',
	route: 'warn',
	slip: 'bad',
	method: 'warn',
	size: 'warn',
	signature: 'warn',
	rate: 'warn',
	body: 'warn',
	script: 'bad',
	delivery: 'bad',
	paused: 'warn',
	queue: 'bad',
	job: 'bad',
	journal: 'bad',
	stopping: 'warn',
};

export const resultTone = (outcome: DeliveryOutcome): Tone => tones[outcome];

/** Whether a person has to act, or events are being lost. */
const needsAttention = (outcome: DeliveryOutcome): boolean =>
	tones[outcome] === 'bad' || outcome === 'rate';

/** The status and outcome: `202 accepted`, `401 signature`, `429 rate ×48`. */
export const resultWord = ({status, outcome}: Delivery, count = 1): string =>
	count > 1 ? `${status} ${outcome} ×${count}` : `${status} ${outcome}`;

/** The result for lists: `202 accepted (key missing: {pull_request.number})` for an event without a group key, which becomes a separate run. */
export function resultText(delivery: Delivery, count: number): string {
	const {outcome, trace} = delivery;
	const dispatch = trace.findLast(({step}) => step === 'dispatch')?.detail ?? '';
	const [missing] = (outcome === 'accepted' && /key missing: .*/.exec(dispatch)) || [];
	return `${resultWord(delivery, count)}${missing === undefined ? '' : ` (${missing})`}`;
}

/** The sign before a row: `!` needs a person, `⚑` the sanitiser changed something, `↶` is a replay, else a blank. */
export const signOf = ({outcome, flags, replayOf}: Delivery): '!' | '⚑' | '↶' | ' ' => {
	if (needsAttention(outcome)) {
		return '!';
	}

	if (flags > 0) {
		return '⚑';
	}

	return replayOf === undefined ? ' ' : '↶';
};

/** The end of an identifier, which every command accepts: the beginning encodes the time, and is shared by neighbours. */
export const shownId = ({id}: Pick<Delivery, 'id'>): Safe => escapeLine(id.slice(-6));

/** The original's identifier for a duplicate, from the decision trace; `undefined` for other deliveries. */
export const originalOf = ({outcome, trace}: Delivery): string | undefined =>
	outcome === 'duplicate'
		? / delivery ([0-9a-z]+)$/.exec(
				trace.findLast(({step, verdict}) => step === 'duplicate' && verdict === 'stop')?.detail ??
					'',
			)?.[1]
		: undefined;

const waits: RunWord = {text: literal('! waits'), tone: 'warn'};
const gathers: RunWord = {text: literal('○ gathers'), tone: 'quiet'};
const superseded: RunWord = {text: literal('- superseded'), tone: 'quiet'};

/**
 * The state of a delivery's run or group with its sign, `! waits` for a run that asks a person. If no longer listed, the last known state; `undefined` if it led
 * to none. Memoised.
 */
export type WorkOf = (delivery: Delivery) => RunWord | undefined;

/** Memoised by runs, groups and approvals. */
export const worksIn = ({runs, groups, approvals}: GatewayState): {readonly workOf: WorkOf} =>
	worksOf(runs, groups, approvals);

const worksOf = derive(
	(
		runs: GatewayState['runs'],
		groups: GatewayState['groups'],
		approvals: GatewayState['approvals'],
	): {readonly workOf: WorkOf} => {
		const runById = new Map(runs.map(run => [run.id, run]));
		const workOf: WorkOf = ({id, runId, group: groupId, work}) => {
			const group = groupId === undefined ? undefined : groups.find(other => other.id === groupId);
			if (group && group.latest !== id) {
				return superseded;
			}

			if (group?.state === 'pending') {
				return gathers;
			}

			const workId = runId ?? group?.runId;
			if (workId !== undefined && approvals.some(({run}) => run === workId)) {
				return waits;
			}

			const state = (workId !== undefined && runById.get(workId)?.state) || work;
			return state && (state === 'superseded' ? superseded : runWords[state]);
		};

		return {workOf};
	},
);

/** A step of the decision: `✓` passed, `✗` ended the request, `-` skipped or not reached. */
export type DecisionLine = {
	readonly mark: '✓' | '✗' | '-';
	readonly step: TraceStepName;
	readonly detail: string;
};

const marks = {pass: '✓', stop: '✗', skip: '-'} as const;

/** The decision trace in pipeline order, including the steps that were not reached: this answers "why did my webhook do nothing?". */
export function decisionLines(delivery: Delivery): readonly DecisionLine[] {
	const trace = wholeTrace(delivery);
	const stop = trace.find(step => step.verdict === 'stop');
	const end = stop ? traceOrder.indexOf(stop.step) : traceOrder.length;
	return traceOrder.flatMap((step, index): readonly DecisionLine[] => {
		const known = trace.findLast(one => one.step === step);
		if (known) {
			return [{mark: marks[known.verdict], step, detail: known.detail}];
		}

		return index > end ? [{mark: '-', step, detail: 'not reached'}] : [];
	});
}

/** A sentence on places of the template that stayed as they are, since the payload has no such key; `undefined` for none. */
export function missingWord(trace: Delivery['trace']): string | undefined {
	const {detail = ''} = trace.find(({step}) => step === 'prompt') ?? {};
	const keys = unresolvedIn(detail);
	return keys.length === 0
		? undefined
		: `The template names ${keys.join(' ')}, which this payload does not have`;
}

const reasons: Readonly<Record<string, Safe>> = {
	filter: literal('ignored by its filter'),
	script: literal('ignored by its script'),
	own: literal('ignored: the gateway wrote it itself'),
};

/** The receiver's answer in words; an unknown body is shown as it is. @see manual/receiver.md#answers */
export function answerWord({body}: Pick<ReceiverAnswer, 'body'>): Safe {
	const {status, reason, event, error} = parsedObject(body) ?? {};
	const word = status ?? error;
	if (status === 'ignored') {
		return (
			(typeof reason === 'string' ? reasons[reason] : undefined) ??
			(typeof event === 'string'
				? safe`ignored: the route does not take ${escapeLine(event)}`
				: literal('ignored'))
		);
	}

	return escapeLine(typeof word === 'string' ? word : body);
}
