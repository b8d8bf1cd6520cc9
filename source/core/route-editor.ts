import type {Shape} from './schemas/parts.ts';
import type {
	payloadKeysSchema,
	routeBacktestSchema,
	routeCheckSchema,
	routeDefinitionSchema,
	routeSavePlanSchema,
	rotatedRouteSchema,
	routeFactsSchema,
	routeRateSchema,
	savedRouteSchema,
	routeDraftSchema,
	routeFieldSchema,
	routePreviewSchema,
} from './schemas/route-editor.ts';

/** One setting of a route, as a form needs to know it. */
export type RouteField = Shape<typeof routeFieldSchema>;

/** How much of its rate a route has used now. */
export type RouteRate = Shape<typeof routeRateSchema>;

/** A changed or new route, before it is saved. */
export type RouteDraft = Shape<typeof routeDraftSchema>;

/** What a draft makes of one delivery. */
export type RoutePreview = Shape<typeof routePreviewSchema>;

/** What a draft makes of stored deliveries. */
export type RouteBacktest = Shape<typeof routeBacktestSchema>;

/** Keys that payloads of a route have had. */
export type PayloadKeys = Shape<typeof payloadKeysSchema>;

/** A route as it is written, without its secrets. */
export type RouteDefinition = Shape<typeof routeDefinitionSchema>;

/** What the receiver would say of a draft. */
export type RouteCheck = Shape<typeof routeCheckSchema>;

/** What saving a draft would change. */
export type RouteSavePlan = Shape<typeof routeSavePlanSchema>;

/** A draft that was saved. */
export type SavedRoute = Shape<typeof savedRouteSchema>;

/** A route with a new secret. */
export type RotatedRoute = Shape<typeof rotatedRouteSchema>;

/** What a served route is made of, for a person. */
export type RouteFacts = Shape<typeof routeFactsSchema>;
