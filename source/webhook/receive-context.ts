import {createHash} from 'node:crypto';
import type {RouteTable} from '../config/config.ts';
import type {Route} from '../config/route.ts';
import type {AuthorshipMark} from '../core/authorship-mark.ts';
import type {Delivery, StoredDelivery, TraceStep, TraceStepName} from '../core/delivery.ts';
import type {JsonObject} from '../core/json.ts';
import type {KeyedMutex} from '../core/mutex.ts';
import type {Redact} from '../core/redact.ts';
import type {RunPlan} from '../core/run.ts';
import {escapeLineCounting} from '../core/untrusted.ts';
import type {World} from '../core/world.ts';
import type {Limits} from '../store/limits/port.ts';
import type {Intake} from '../store/port.ts';
import type {CompiledRoute} from './admission.ts';
import type {DeliverDirect} from './direct-delivery.ts';
import type {JobOf} from './dispatch-event.ts';
import {redactedIdentifier} from './identity.ts';
import type {Reply} from './replies.ts';
import {type RequestHeaders, headersToStore} from './request-content.ts';
import type {Scripts} from './script.ts';
import type {SignatureDoctor} from './signature-doctor.ts';
import type {RenderContext} from './template.ts';

/** Dependencies of the rows of the response table. */
export type ReceiverServices = Pick<World, 'clock' | 'log'> & {
	readonly intake: Intake;
	/** Why the journal last failed to write; `undefined` while it can be written. */
	readonly journalFailing: () => string | undefined;
	/** The served routes. The file of dynamic routes is reloaded when it changed; called for every request, evaluated once per turn of the event loop. */
	readonly routes: () => RouteTable;
	readonly compile: (route: Route) => CompiledRoute;
	/** Whether `/p/<profile>/webhooks/<route>` is served now. */
	readonly multiplexing: () => boolean;
	readonly doctor: SignatureDoctor;
	/** Rate limits of the routes, and the pace at which runs of `overflow: queue` routes start. */
	readonly limits: Pick<Limits, 'windows' | 'paces'>;
	readonly scripts: Scripts;
	/** The folders of a profile. */
	readonly homeOf: HomeOf;
	/** Recognises comments by this gateway. */
	readonly ownMark: AuthorshipMark;
	readonly mutex: KeyedMutex;
	/** Delivers the message of a `deliver_only` event; rejects when that failed. */
	readonly deliver: DeliverDirect;
	/** The scheduled job of a `cron_job` route. */
	readonly jobOf: JobOf;
	readonly maxQueued: () => number;
	/** Whether the server listens on this machine only, as `INSECURE_NO_AUTH` requires. */
	readonly isLoopback: boolean;
	/** Whether new requests are refused because the gateway is stopping. */
	readonly isDraining: () => boolean;
	/** Aborts when the gateway is stopping and running work must end. */
	readonly stopping: AbortSignal;
	/** Logs a warning once per `key`. */
	readonly warnOnce: (key: string, message: string) => void;
};

/**
 * The folders of a profile, absolute: `in_file` is relative to `home`, `script` to `scripts`. `default` is the profile of this gateway.
 *
 * @see manual/filters-and-templates.md#filters, manual/filters-and-templates.md#scripts
 */
type HomeOf = (profile: string) => {readonly home: string; readonly scripts: string};

/** A delivery while its request is processed. The rows of the response table fill it in, with cleaned strings. */
export type DeliveryDraft = {
	readonly id: string;
	/** Milliseconds since 1970. */
	readonly receivedAt: number;
	/** Monotonic milliseconds. */
	readonly startedAt: number;
	readonly headers: RequestHeaders;
	readonly redact: Redact;
	/** The sender's delivery identifier: at first from the headers, replaced by a signed one if there is one. */
	deliveryId: string;
	idSource: string;
	/** Whether the signature covers the identifier, in the body or in a header, so that a copy of the request has the same one. */
	hasSignedId: boolean;
	/** Whether the identifier does not come from the request, because the event is replayed or was fetched. */
	readonly hasFixedId: boolean;
	readonly replayOf: string | undefined;
	profile: string;
	route: string;
	/** `CompiledRoute.id`, once the route was found. `undefined` for unknown routes, since an untrusted name must not become a label of metrics. */
	routeId: string | undefined;
	/** `CompiledRoute.keptHeaders`, once the route was found. */
	keptHeaders: readonly string[];
	event: string;
	/** The subject of the event, once its payload was read. */
	subject: string | undefined;
	body: Buffer | undefined;
	/** Whether the body is stored: only after authentication and the rate limit, since strangers must not fill the disk. */
	keepsBody: boolean;
	flags: number;
	/** Whether the event exceeds the rate limit of a route with `overflow: queue`. */
	isAboveRate: boolean;
	readonly trace: TraceStep[];
};

/** The result of one step of the trace. */
type StepResult = Omit<TraceStep, 'step'>;

const maxDetailLength = 300;

/** Adds a step to the trace. `detail` must be our own text, or cleaned by `cleanDetail`. */
export function note(
	draft: DeliveryDraft,
	step: TraceStepName,
	{verdict, detail}: StepResult,
): void {
	draft.trace.push({step, verdict, detail});
}

/** Replaces the detail of the last trace step named `step`. */
export function renote(draft: DeliveryDraft, step: TraceStepName, detail: string): void {
	const index = draft.trace.findLastIndex(noted => noted.step === step);
	const noted = draft.trace[index];
	if (noted) {
		draft.trace[index] = {...noted, detail};
	}
}

/** Adds the trace step that ends the request with `reply`. */
export function stop(
	draft: DeliveryDraft,
	reply: Reply,
	{step, detail}: Omit<TraceStep, 'verdict'>,
): Reply {
	draft.trace.push({step, verdict: 'stop', detail});
	return reply;
}

/** Cleans an untrusted detail: redacted, one safe line, at most `maxLength` characters. Adds the number of hostile characters to `draft.flags`. */
export function cleanDetail(
	draft: DeliveryDraft,
	text: string,
	maxLength = maxDetailLength,
): string {
	const cleaned = escapeLineCounting(draft.redact(text), maxLength);
	draft.flags += cleaned.flags;
	return cleaned.text;
}

/** Sets the identifier of the event, redacted. */
export function nameDraft(
	draft: DeliveryDraft,
	{deliveryId, idSource}: Pick<DeliveryDraft, 'deliveryId' | 'idSource'>,
): void {
	draft.deliveryId = redactedIdentifier(deliveryId, draft.redact);
	draft.idSource = idSource;
}

type Writable<Value> = {-readonly [Key in keyof Value]: Value[Key]};

/** The delivery of a draft that is answered with `reply`. `now`: monotonic milliseconds. */
export function deliveryOf(draft: DeliveryDraft, reply: Reply, now: number): Delivery {
	const delivery: Writable<Delivery> = {
		id: draft.id,
		profile: draft.profile,
		route: draft.route,
		event: draft.event,
		deliveryId: draft.deliveryId,
		idSource: draft.idSource,
		status: reply.status,
		outcome: reply.outcome,
		receivedAt: draft.receivedAt,
		durationMs: now - draft.startedAt,
		bodyBytes: draft.body === undefined ? 0 : draft.body.length,
		flags: draft.flags,
		trace: draft.trace,
	};
	if (draft.subject !== undefined) {
		delivery.subject = draft.subject;
	}

	if (draft.replayOf !== undefined) {
		delivery.replayOf = draft.replayOf;
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
 * The delivery to be stored: with the allowed headers and, for authenticated senders, the raw body and the headers that filters read. `further`: steps for the end of the
 * stored trace, which the commit itself decides.
 */
export function storedDeliveryOf(
	draft: DeliveryDraft,
	delivery: Delivery,
	further: readonly TraceStep[] = [],
): StoredDelivery {
	const stored: Writable<StoredDelivery> = {
		...delivery,
		// A copy: steps after the commit are not stored.
		trace: [...draft.trace, ...further],
		headers: headersToStore(draft.headers, draft.redact, draft.keepsBody ? draft.keptHeaders : []),
	};
	if (draft.keepsBody && draft.body !== undefined) {
		stored.body = draft.body;
	}

	return stored;
}

/** A rendered event that passed every check; only the check for duplicates is left. */
export type ReadyEvent = {
	readonly draft: DeliveryDraft;
	readonly route: Route;
	readonly compiled: CompiledRoute;
	/** Resolved event type as sent. */
	readonly event: string;
	readonly prompt: string;
	/** Keys of the payload whose values are in the prompt. */
	readonly read: readonly string[];
	/** What the templates of the route render: the payload after the script, and the event type. */
	readonly context: RenderContext;
	/** `deliver_extra`, rendered. */
	readonly extra: JsonObject;
	/** The pull request or issue of the event; see `subjectOf`. */
	readonly subject: string | undefined;
	/** The repository of the event, for tools that may read it. */
	readonly repository: string | undefined;
	/** Which parts of a pull request are fetched before the agent starts. */
	readonly prefetch: RunPlan['prefetch'];
};

/** The part of an event that is needed after it is handed to the journal. */
export type NamedEvent = Pick<ReadyEvent, 'draft' | 'route' | 'event'>;

/** The event without its payload, for code that awaits the commit: all events of one turn await the same commit, and a payload takes many times its wire size in memory. */
export const withoutPayload = ({draft, route, event}: ReadyEvent): NamedEvent => ({
	draft,
	route,
	event,
});

/** The names that replies to this event contain. */
export const namesOf = ({draft, route, event}: NamedEvent) => ({
	route: route.name,
	event,
	deliveryId: draft.deliveryId,
});

/** By what duplicates of an event are recognised. */
export const duplicateKeyOf = ({draft, route}: NamedEvent) => ({
	bodyHash: bodyHashOf(draft, route),
	profile: route.profile,
	route: route.name,
	deliveryId: draft.deliveryId,
});

/**
 * The hash of the body as a second identifier, for routes with `dedupe_body: true`. `undefined` for replays, which are never duplicates, and for signed identifiers, which
 * decide alone.
 *
 * @see manual/receiver.md#bodies
 */
const bodyHashOf = (
	{body, hasSignedId, replayOf}: DeliveryDraft,
	{dedupeBody}: Route,
): string | undefined =>
	dedupeBody && replayOf === undefined && !hasSignedId && body !== undefined
		? createHash('sha256').update(body).digest('base64')
		: undefined;
