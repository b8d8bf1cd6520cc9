import type {Delivery, StoredDelivery, TraceStep, TraceStepName} from '../core/delivery.ts';
import type {Redact} from '../core/redact.ts';
import {cell} from '../core/untrusted.ts';
import {headersToStore} from './headers.ts';
import type {RequestHeaders} from './headers.ts';
import {redactedIdentifier} from './identity.ts';
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
	/** The sender's signature covers the identifier. */
	hasSignedId: boolean;
	/** The identifier is not the sender's to name: the event is replayed or was fetched. */
	readonly hasFixedId: boolean;
	readonly replayOf: string | undefined;
	profile: string;
	route: string;
	/** `CompiledRoute.id`, once the route was found: a stranger's name must not become a label. */
	routeId: string | undefined;
	/** `CompiledRoute.keptHeaders`, once the route was found. */
	keptHeaders: readonly string[];
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

/** A detail that may hold strangers' words: redacted, one safe line, at most `longest` characters, 300 when nothing is to follow. */
export function cleanDetail(visit: Visit, text: string, longest = longestDetail): string {
	const cleaned = cell(visit.redact(text), longest);
	visit.flags += cleaned.flags;
	return cleaned.text;
}

/** Gives the event the identifier that its sender named, without what is secret. */
export function nameVisit(
	visit: Visit,
	{deliveryId, idSource}: Pick<Visit, 'deliveryId' | 'idSource'>,
): void {
	visit.deliveryId = redactedIdentifier(deliveryId, visit.redact);
	visit.idSource = idSource;
}

type Draft<Value> = {-readonly [Key in keyof Value]: Value[Key]};

/** What the visit comes to when `reply` is the answer. `now` is monotonic. */
export function deliveryOf(visit: Visit, reply: Reply, now: number): Delivery {
	const delivery: Draft<Delivery> = {
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
	};
	if (visit.replayOf !== undefined) {
		delivery.replayOf = visit.replayOf;
	}

	if (reply.runId !== undefined) {
		delivery.runId = reply.runId;
	}

	if (reply.joined) {
		delivery.group = reply.joined.group.id;
	}

	return delivery;
}

/**
 * The same with what was received, to be kept: allowed headers, and unless a stranger sent it the raw body and the headers that filters look at. `further` are steps that the journal
 * itself decides: they are written with it.
 */
export function storedDeliveryOf(
	visit: Visit,
	delivery: Delivery,
	further: readonly TraceStep[] = [],
): StoredDelivery {
	const stored: Draft<StoredDelivery> = {
		...delivery,
		// A copy: steps that follow the commit are not part of what was written.
		trace: [...visit.trace, ...further],
		headers: headersToStore(visit.headers, visit.redact, visit.keepsBody ? visit.keptHeaders : []),
	};
	if (visit.keepsBody && visit.body !== undefined) {
		stored.body = visit.body;
	}

	return stored;
}
