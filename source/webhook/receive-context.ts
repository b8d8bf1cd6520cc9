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

/** What the rows of the response table ask. */
export type ReceiverServices = Pick<World, 'clock' | 'log'> & {
	readonly intake: Intake;
	/** Why nothing can be written to the journal, as it told last; `undefined` while it can. */
	readonly journalFailing: () => string | undefined;
	/** The served routes; asked for every request, once for those of one turn. Reloads the file of dynamic routes when it changed. */
	readonly routes: () => RouteTable;
	readonly compile: (route: Route) => CompiledRoute;
	/** Whether `/p/<profile>/webhooks/<route>` is served now. */
	readonly multiplexing: () => boolean;
	readonly doctor: SignatureDoctor;
	/** Rates of the routes, and starts of `overflow: queue` routes. */
	readonly limits: Pick<Limits, 'windows' | 'paces'>;
	readonly scripts: Scripts;
	/** Where a profile keeps what its routes name. */
	readonly homeOf: HomeOf;
	/** Knows what this gateway wrote itself. */
	readonly ownMark: AuthorshipMark;
	readonly mutex: KeyedMutex;
	/** Hands over the message of a `deliver_only` event; rejects when it failed. */
	readonly deliver: DeliverDirect;
	/** The scheduled job of a `cron_job` route. */
	readonly jobOf: JobOf;
	readonly maxQueued: () => number;
	/** Whether the server is bound to this machine alone: only then `INSECURE_NO_AUTH` counts. */
	readonly isLoopback: boolean;
	/** New requests are turned away. */
	readonly isDraining: () => boolean;
	/** Aborts when what still runs must end. */
	readonly stopping: AbortSignal;
	/** Logs a warning the first time that `key` comes. */
	readonly warnOnce: (key: string, message: string) => void;
};

/**
 * Where a profile keeps what its routes name, absolute: `in_file` resolves in `home`, `script` in `scripts`. `default` is the profile of this gateway.
 *
 * @see manual/filters-and-templates.md#filters, manual/filters-and-templates.md#scripts
 */
type HomeOf = (profile: string) => {readonly home: string; readonly scripts: string};

/** What is known of a delivery while its request goes down the pipeline. The rows fill it in as they go; strings are cleaned before they are written here. */
export type DeliveryDraft = {
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
	/** The identifier is one with the body, or signed beside it: an identical body has it too. */
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
	/** What the event is about, once its payload was read. */
	subject: string | undefined;
	body: Buffer | undefined;
	/** Set once the sender is known and within its rate: what a stranger sent must not fill the disk. */
	keepsBody: boolean;
	flags: number;
	/** The route's quota of this minute was spent and its overflow is queued. */
	isAboveRate: boolean;
	readonly trace: TraceStep[];
};

/** What was decided at one step. */
type StepResult = Omit<TraceStep, 'step'>;

const maxDetailLength = 300;

/** Adds a step. `detail` holds our own words and numbers, or went through `cleanDetail`. */
export function note(
	draft: DeliveryDraft,
	step: TraceStepName,
	{verdict, detail}: StepResult,
): void {
	draft.trace.push({step, verdict, detail});
}

/** Says more about a step that was noted before. */
export function renote(draft: DeliveryDraft, step: TraceStepName, detail: string): void {
	const index = draft.trace.findLastIndex(noted => noted.step === step);
	const noted = draft.trace[index];
	if (noted) {
		draft.trace[index] = {...noted, detail};
	}
}

/** Adds the step that ends the request with `reply`. */
export function stop(
	draft: DeliveryDraft,
	reply: Reply,
	{step, detail}: Omit<TraceStep, 'verdict'>,
): Reply {
	draft.trace.push({step, verdict: 'stop', detail});
	return reply;
}

/** A detail that may hold strangers' words: redacted, one safe line, at most `maxLength` characters, 300 when nothing is to follow. */
export function cleanDetail(
	draft: DeliveryDraft,
	text: string,
	maxLength = maxDetailLength,
): string {
	const cleaned = escapeLineCounting(draft.redact(text), maxLength);
	draft.flags += cleaned.flags;
	return cleaned.text;
}

/** Gives the event the identifier that its sender named, without what is secret. */
export function nameDraft(
	draft: DeliveryDraft,
	{deliveryId, idSource}: Pick<DeliveryDraft, 'deliveryId' | 'idSource'>,
): void {
	draft.deliveryId = redactedIdentifier(deliveryId, draft.redact);
	draft.idSource = idSource;
}

type Writable<Value> = {-readonly [Key in keyof Value]: Value[Key]};

/** What the draft comes to when `reply` is the answer. `now` is monotonic. */
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
 * The same with what was received, to be kept: allowed headers, and unless a stranger sent it the raw body and the headers that filters look at. `further` are steps that the journal
 * itself decides: they are written with it.
 */
export function storedDeliveryOf(
	draft: DeliveryDraft,
	delivery: Delivery,
	further: readonly TraceStep[] = [],
): StoredDelivery {
	const stored: Writable<StoredDelivery> = {
		...delivery,
		// A copy: steps that follow the commit are not part of what was written.
		trace: [...draft.trace, ...further],
		headers: headersToStore(draft.headers, draft.redact, draft.keepsBody ? draft.keptHeaders : []),
	};
	if (draft.keepsBody && draft.body !== undefined) {
		stored.body = draft.body;
	}

	return stored;
}

/** An event that passed every check and is rendered: only its identifier decides now whether it is handled. */
export type ReadyEvent = {
	readonly draft: DeliveryDraft;
	readonly route: Route;
	readonly compiled: CompiledRoute;
	/** Resolved event type as sent. */
	readonly event: string;
	readonly prompt: string;
	/** Keys of the payload that the prompt took. */
	readonly read: readonly string[];
	/** What the templates were rendered from. */
	readonly context: RenderContext;
	/** `deliver_extra`, rendered. */
	readonly extra: JsonObject;
	/** What the event is about; see `subjectOf`. */
	readonly subject: string | undefined;
	/** The repository that the event is about, for tools that may read it. */
	readonly repository: string | undefined;
	/** What is got for its run before the agent starts. */
	readonly prefetch: RunPlan['prefetch'];
};

/** What of an event is asked for once it is handed to the journal. */
export type NamedEvent = Pick<ReadyEvent, 'draft' | 'route' | 'event'>;

/**
 * The event without what was made of its body. A payload is many times as large in memory as on the wire, and all that came in one turn wait for the same commit: whoever
 * waits with it makes the collector carry it along.
 */
export const withoutPayload = ({draft, route, event}: ReadyEvent): NamedEvent => ({
	draft,
	route,
	event,
});

/** What replies to this event name. */
export const namesOf = ({draft, route, event}: NamedEvent) => ({
	route: route.name,
	event,
	deliveryId: draft.deliveryId,
});

/** Identity for the duplicate rule. */
export const duplicateKeyOf = ({draft, route}: NamedEvent) => ({
	bodyHash: bodyHashOf(draft, route),
	profile: route.profile,
	route: route.name,
	deliveryId: draft.deliveryId,
});

/**
 * `dedupe_body: true`: the body is a second identifier. A replay is meant: it is never a duplicate. An identifier that is signed decides alone.
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
