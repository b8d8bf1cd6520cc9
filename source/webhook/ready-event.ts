import {createHash} from 'node:crypto';
import type {Route} from '../config/route.ts';
import type {JsonObject} from '../core/json.ts';
import type {RunPlan} from '../core/run.ts';
import type {CompiledRoute} from './compiled-route.ts';
import type {DeliveryDraft} from './delivery-draft.ts';
import type {RenderContext} from './template.ts';

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
