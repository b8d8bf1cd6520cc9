import type {Delivery, StoredDelivery, TraceStep, TraceStepName} from '../core/delivery.ts';
import type {Redact} from '../core/redact.ts';
import {cell} from '../core/untrusted.ts';
import {headersToStore} from './headers.ts';
import type {RequestHeaders} from './headers.ts';
import type {Reply} from './replies.ts';

/** One request on its way down the pipeline. The rows fill it in as they go; strings are cleaned before they are written here. */
export type Visit = {
	readonly id: string;
	/** Milliseconds since 1970. */
	readonly receivedAt: number;
	/** Monotonic milliseconds. */
	readonly startedAt: number;
	readonly headers: RequestHeaders;
	readonly redact: Redact;
	/** The sender's identifier. A signature that covers one replaces the one that the headers gave. */
	deliveryId: string;
	idSource: string;
	/** The identifier is not the sender's to name: the event is replayed or was fetched. */
	readonly hasFixedId: boolean;
	readonly replayOf: string | undefined;
	profile: string;
	route: string;
	/** `CompiledRoute.id`, once the route was found: a stranger's name must not become a label. */
	routeId: string | undefined;
	event: string;
	body: Buffer | undefined;
	/** Set once the sender is known and within its rate: what a stranger sent must not fill the disk. */
	keepsBody: boolean;
	flags: number;
	/** The route's quota of this minute was spent and its overflow is queued. */
	isAboveRate: boolean;
	readonly trace: TraceStep[];
};

/** What was decided at one step. */
export type Finding = Omit<TraceStep, 'step'>;

const longestDetail = 300;

/** Adds a step. `detail` holds our own words and numbers, or went through `cleanDetail`. */
export function note(visit: Visit, step: TraceStepName, {verdict, detail}: Finding): void {
	visit.trace.push({step, verdict, detail});
}

/** Says more about a step that was noted before. */
export function renote(visit: Visit, step: TraceStepName, detail: string): void {
	const index = visit.trace.findLastIndex(noted => noted.step === step);
	const noted = visit.trace[index];
	if (noted) {
		visit.trace[index] = {...noted, detail};
	}
}

/** Adds the step that ends the request with `reply`. */
export function stop(
	visit: Visit,
	reply: Reply,
	{step, detail}: Omit<TraceStep, 'verdict'>,
): Reply {
	visit.trace.push({step, verdict: 'stop', detail});
	return reply;
}

/** A detail that may hold strangers' words: redacted, one safe line, at most 300 characters. */
export function cleanDetail(visit: Visit, text: string): string {
	const cleaned = cell(visit.redact(text), longestDetail);
	visit.flags += cleaned.flags;
	return cleaned.text;
}

/** What the visit comes to when `reply` is the answer. `now` is monotonic. */
export const deliveryOf = (visit: Visit, reply: Reply, now: number): Delivery => ({
	id: visit.id,
	profile: visit.profile,
	route: visit.route,
	event: visit.event,
	deliveryId: visit.deliveryId,
	idSource: visit.idSource,
	status: reply.status,
	outcome: reply.outcome,
	receivedAt: visit.receivedAt,
	durationMs: now - visit.startedAt,
	bodyBytes: visit.body === undefined ? 0 : visit.body.length,
	flags: visit.flags,
	trace: visit.trace,
	...(visit.replayOf !== undefined && {replayOf: visit.replayOf}),
	...(reply.runId !== undefined && {runId: reply.runId}),
	...(reply.joined && {group: reply.joined.group.id}),
});

/** The same with what was received, to be kept: allowed headers, and the raw body unless a stranger sent it. */
export const storedDeliveryOf = (visit: Visit, reply: Reply, now: number): StoredDelivery => ({
	...deliveryOf(visit, reply, now),
	// A copy: steps that follow the commit are not part of what was written.
	trace: [...visit.trace],
	headers: headersToStore(visit.headers),
	...(visit.keepsBody && visit.body !== undefined && {body: visit.body}),
});
