import type {Route} from '../config/route.ts';
import type {JsonObject} from '../core/json.ts';
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
	/** What the templates were rendered from. */
	readonly context: RenderContext;
	/** `deliver_extra`, rendered. */
	readonly extra: JsonObject;
	/** What the event is about; see `subjectOf`. */
	readonly subject: string | undefined;
};

/** What replies to this event name. */
export const namesOf = ({draft, route, event}: ReadyEvent) => ({
	route: route.name,
	event,
	deliveryId: draft.deliveryId,
});

/** Identity for the duplicate rule. */
export const duplicateKeyOf = ({draft, route}: ReadyEvent) => ({
	profile: route.profile,
	route: route.name,
	deliveryId: draft.deliveryId,
});
