import type {Delivery, DeliveryOutcome} from '../../core/delivery.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clean} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';

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

/** Outcomes that stay wrong until a person acts, or that lose events. */
const needsAttention: ReadonlySet<DeliveryOutcome> = new Set([
	'slip',
	'rate',
	'script',
	'delivery',
	'queue',
	'job',
	'journal',
]);

/** The service's own words for what it answered: `202 accepted`, `401 signature`, `429 rate ×48`. */
export const resultWord = ({status, outcome}: Delivery, count = 1): string =>
	count > 1 ? `${status} ${outcome} ×${count}` : `${status} ${outcome}`;

/**
 * The result as the list says it: `202 accepted (key missing: {pull_request.number})` for an event whose group cannot be named,
 * which becomes a run of its own.
 */
export function resultText(delivery: Delivery, count: number): string {
	const missing = missingKey(delivery);
	return `${resultWord(delivery, count)}${missing === undefined ? '' : ` (${missing})`}`;
}

const missingKey = ({outcome, trace}: Delivery): string | undefined =>
	outcome === 'accepted'
		? /key missing: .*/.exec(trace.findLast(({step}) => step === 'dispatch')?.detail ?? '')?.[0]
		: undefined;

export const resultTone = (outcome: DeliveryOutcome): Tone => tones[outcome];

/** The sign before a row: `!` needs a person, `⚑` the sanitiser changed something, `↶` it was sent once more, else a blank. */
export const signOf = ({outcome, flags, replayOf}: Delivery): '!' | '⚑' | '↶' | ' ' => {
	if (needsAttention.has(outcome)) {
		return '!';
	}

	if (flags > 0) {
		return '⚑';
	}

	return replayOf === undefined ? ' ' : '↶';
};

/** The ending of an identifier, which every command takes: the beginning is the time, and the same in all of them. */
export const shownId = ({id}: Pick<Delivery, 'id'>): Safe => clean(id.slice(-6));
