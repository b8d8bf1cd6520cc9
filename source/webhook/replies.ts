import type {DeliveryOutcome} from '../core/delivery.ts';
import type {Group} from '../core/group.ts';
import type {JsonObject} from '../core/json.ts';
import type {HttpAnswer} from '../http/http-messages.ts';

/** An answer of the receiver: the HTTP answer and the outcome. */
export type Reply = Pick<
	HttpAnswer,
	'body' | 'contentType' | 'headers' | 'retryAfterSeconds' | 'status'
> & {
	readonly outcome: DeliveryOutcome;
	/** The run that the request started. */
	readonly runId?: number;
	/** Faces cannot derive the whole run from the delivery: the run belongs to a job, or starts later. */
	readonly isMoreThanImplied?: true;
	/** The group that the event joined, and the one that was dispatched to make room for it. */
	readonly joined?: {readonly group: Group; readonly dispatched?: Group};
	/** An unauthenticated request without effect: shown, but not stored. */
	readonly isPassing?: true;
};

const reply = (status: number, outcome: DeliveryOutcome, body: JsonObject): Reply => ({
	status,
	outcome,
	body: JSON.stringify(body),
});

const refusal = (status: number, outcome: DeliveryOutcome, error: string): Reply =>
	reply(status, outcome, {error});

/** The refusals of the response table, whose bodies never change. @see manual/receiver.md#answers, manual/receiver.md#order-of-decisions */
export const refusals = {
	unknownRoute: refusal(404, 'route', 'Unknown route'),
	host: refusal(403, 'route', 'Host not allowed'),
	invalid: {...refusal(503, 'slip', 'Route is not available'), retryAfterSeconds: 30},
	method: refusal(405, 'method', 'Method not allowed'),
	size: refusal(413, 'size', 'Payload too large'),
	cut: refusal(400, 'body', 'Incomplete body'),
	signature: refusal(401, 'signature', 'Invalid signature'),
	script: {...refusal(503, 'script', 'Script failed'), retryAfterSeconds: 30},
	scriptsBusy: {...refusal(503, 'queue', 'Too many scripts are waiting'), retryAfterSeconds: 10},
	journal: {
		...refusal(503, 'journal', 'Could not durably accept the delivery'),
		retryAfterSeconds: 10,
	},
	paused: {...refusal(503, 'paused', 'Route is paused'), retryAfterSeconds: 60},
	queue: {...refusal(503, 'queue', 'Too many runs are queued'), retryAfterSeconds: 30},
	job: {...refusal(503, 'job', 'Cron job is not available'), retryAfterSeconds: 30},
	busy: {
		...refusal(503, 'queue', 'This delivery is already being handled'),
		retryAfterSeconds: 10,
	},
	stopping: {...refusal(503, 'stopping', 'Gateway is stopping'), retryAfterSeconds: 10},
} as const satisfies Record<string, Reply>;

/** 429: the route's quota of this minute is spent. */
export const rateReply = (retryAfterSeconds: number): Reply => ({
	...refusal(429, 'rate', 'Rate limit exceeded'),
	retryAfterSeconds,
});

/** 400: the body is empty or malformed. */
export const bodyReply = (error: string): Reply => refusal(400, 'body', error);

/** The names that replies to a readable event contain. */
export type EventNames = {
	readonly route: string;
	readonly event: string;
	readonly deliveryId: string;
};

/** 202: an agent runs in the background. */
export const acceptedReply = ({route, event, deliveryId}: EventNames): Reply =>
	reply(202, 'accepted', {status: 'accepted', route, event, delivery_id: deliveryId});

/** 202: a scheduled job runs in the background. `job`: the reference as in the route. */
export const firedReply = ({route, event, deliveryId}: EventNames, job: string): Reply =>
	reply(202, 'accepted', {
		status: 'accepted',
		route,
		cron_job: job,
		event,
		delivery_id: deliveryId,
	});

/** 202: the event joined the group of its key. */
export const coalescedReply = ({route, event, deliveryId}: EventNames): Reply =>
	reply(202, 'coalesced', {status: 'coalesced', route, event, delivery_id: deliveryId});

/** 200: the event type is not in `events`. */
export const ignoredEventReply = (route: string, event: string): Reply =>
	reply(200, 'ignored:event', {status: 'ignored', event, route});

/** 200: the list of events is empty. */
export const emptyReply = ({route}: Pick<EventNames, 'route'>): Reply =>
	reply(200, 'ignored:event', {status: 'ignored', reason: 'empty', route});

/** 200: the filters did not match, the script ignored the event, or it concerns a comment of this gateway. */
export const ignoredReply = (
	reason: 'filter' | 'script' | 'own',
	{route}: Pick<EventNames, 'route'>,
): Reply => reply(200, `ignored:${reason}`, {status: 'ignored', reason, route});

/** 200, or 204 without content: the answer to a challenge. */
export const challengeReply = ({
	body,
	text,
}: {
	readonly body?: JsonObject;
	readonly text?: string;
}): Reply =>
	text === undefined
		? {
				status: body ? 200 : 204,
				outcome: 'challenge',
				body: body ? JSON.stringify(body) : '',
			}
		: echo(text);

/** Echoes a text of the sender as plain text, which no browser renders as a page. */
const echo = (text: string): Reply => ({
	status: 200,
	outcome: 'challenge',
	body: text,
	contentType: 'text/plain; charset=utf-8',
	headers: noSniffing,
});

const noSniffing = {'X-Content-Type-Options': 'nosniff'};

/** 200: the answer to an unsigned `GET` that verifies the address. */
export const greetingReply = (text: string, member?: string): Reply => ({
	...(member === undefined ? echo(text) : challengeReply({body: {[member]: text}})),
	headers: noSniffing,
	isPassing: true,
});

/** 200: the handshake of a sender of CloudEvents. */
export const handshakeReply = (headers: Readonly<Record<string, string>>): Reply => ({
	status: 200,
	outcome: 'challenge',
	body: '',
	headers,
	isPassing: true,
});

/** 200: an event with the same identifier, or the same body, was accepted less than an hour ago. */
export const duplicateReply = ({deliveryId}: EventNames): Reply =>
	reply(200, 'duplicate', {status: 'duplicate', delivery_id: deliveryId});

/** 200: `deliver_only` reached its target. */
export const deliveredReply = ({route, deliveryId}: EventNames, target: string): Reply =>
	reply(200, 'delivered', {status: 'delivered', route, target, delivery_id: deliveryId});

/** 502: `deliver_only` did not reach its target; the reason is for the log alone. */
export const deliveryFailedReply = ({deliveryId}: EventNames): Reply =>
	reply(502, 'delivery', {error: 'Delivery failed', delivery_id: deliveryId});
