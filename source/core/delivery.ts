import type {
	deliverySchema,
	receiverAnswerSchema,
	replayChangesSchema,
	storedDeliverySchema,
	traceStepSchema,
} from './schemas/delivery.ts';
import type {Shape} from './schemas/parts.ts';

/** Every {@link DeliveryOutcome}. */
export const deliveryOutcomes = [
	'accepted',
	'coalesced',
	'delivered',
	'ignored:event',
	'ignored:filter',
	'ignored:script',
	'ignored:own', // about a comment that this gateway wrote
	'challenge', // the sender verified the address
	'duplicate',
	'route', // 404
	'slip', // 503, the route cannot be used as it is written
	'method', // 405
	'size', // 413
	'signature', // 401
	'rate', // 429
	'body', // 400
	'script', // 503, retry_on_script_failure
	'delivery', // 502, deliver_only
	'paused', // 503, a person paused the route
	'queue', // 503, queue full
	'job', // 503, the scheduled job is unknown, ambiguous, paused or full
	'journal', // 503, not durable
	'stopping', // 503, draining
] as const;

/**
 * How the receiver ended a request, by its name in the manual's response table.
 *
 * @see manual/receiver.md#answers
 */
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** How long a delivery identifier, or an identical body, counts as a duplicate: an hour. @see manual/receiver.md#settings */
export const idempotencyMs = 3_600_000;

/** Steps of the receiver's decision about a request, in order. */
export const traceOrder = [
	'route',
	'size',
	'signature',
	'rate',
	'body',
	'event',
	'filter',
	'script',
	'prompt',
	'duplicate',
	'journal',
	'dispatch',
] as const;

export type TraceStepName = (typeof traceOrder)[number];

/**
 * One line of a decision trace. `stop` marks the step that ended the request; later steps are
 * absent. `detail` is for people: cleaned by `escapeLine`, at most 300 characters.
 */
export type TraceStep = Shape<typeof traceStepSchema>;

/**
 * One inbound event and its outcome. Untrusted strings are cleaned by `escapeLine` when the value is made
 * (`flags` counts the characters made visible), so every face may show them.
 */
export type Delivery = Shape<typeof deliverySchema>;

/** Outcomes that depend on the content of an authenticated delivery. The bodies of these deliveries are kept. */
export const decidedOutcomes: readonly DeliveryOutcome[] = [
	'accepted',
	'coalesced',
	'delivered',
	'ignored:event',
	'ignored:filter',
	'ignored:script',
	'duplicate',
	'delivery',
	'job',
	'paused',
	'queue',
];

/** Whether a request was refused without effect, so that its sender may try again. A failed direct delivery does not count, since it was attempted. */
export const isRejection = ({status, outcome}: Pick<Delivery, 'status' | 'outcome'>): boolean =>
	status >= 400 && outcome !== 'delivery';

/** The trace including the number of the run, which is not known yet when the journal stores the trace. */
export function wholeTrace({
	trace,
	status,
	runId,
	group,
}: Pick<Delivery, 'trace' | 'status' | 'runId' | 'group'>): readonly TraceStep[] {
	const last = trace.at(-1);
	if (last === undefined || runId === undefined || group !== undefined || status !== 202) {
		return trace;
	}

	const queued = `run ${runId} queued`;
	if (last.step !== 'dispatch') {
		return [...trace, {step: 'dispatch', verdict: 'pass', detail: queued}];
	}

	return last.detail.endsWith(queued)
		? trace
		: [...trace.slice(0, -1), {...last, detail: `${last.detail}; ${queued}`}];
}

/** A delivery with the received request. `body` is the raw request body; `undefined` when it was not kept. */
export type StoredDelivery = Shape<typeof storedDeliverySchema>;

/** How the receiver answers an event. */
export type ReceiverAnswer = Shape<typeof receiverAnswerSchema>;

/** Changes to a stored delivery before it is sent again. */
export type ReplayChanges = Shape<typeof replayChangesSchema>;

/** The keys of a template that the payload lacks, as the step `prompt` of a trace has them: `unresolved: {number} {title}`. @see unresolvedIn */
export const unresolvedWords = (keys: readonly string[]): string =>
	`unresolved: ${keys.map(key => `{${key}}`).join(' ')}`;

/** Reads `unresolvedWords` from the detail of a step; without braces that are text, such as the JSON of a tool call. */
export function unresolvedIn(detail: string): readonly string[] {
	const [, places = ''] = /unresolved: (\{[^{}]*\}(?: \{[^{}]*\})*)/.exec(detail) ?? [];
	return places.match(/\{[\w.$@-]+\}/g) ?? [];
}
