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

/** One setting of a route, described for a form. */
export type RouteField = Shape<typeof routeFieldSchema>;

/** Present use of a route's rate limit. */
export type RouteRate = Shape<typeof routeRateSchema>;

/** A changed or new route, before it is saved. */
export type RouteDraft = Shape<typeof routeDraftSchema>;

/** The result that one delivery would have under a draft. */
export type RoutePreview = Shape<typeof routePreviewSchema>;

/** The results that stored deliveries would have under a draft. */
export type RouteBacktest = Shape<typeof routeBacktestSchema>;

/** Keys found in the payloads of a route. */
export type PayloadKeys = Shape<typeof payloadKeysSchema>;

/** A route as written in its file, without its secrets. */
export type RouteDefinition = Shape<typeof routeDefinitionSchema>;

/** The problems and warnings of the receiver about a draft. */
export type RouteCheck = Shape<typeof routeCheckSchema>;

/** The changes that saving a draft would make. */
export type RouteSavePlan = Shape<typeof routeSavePlanSchema>;

/** A draft that was saved. */
export type SavedRoute = Shape<typeof savedRouteSchema>;

/** A route with a new secret. */
export type RotatedRoute = Shape<typeof rotatedRouteSchema>;

/** Facts about a served route, for a person. */
export type RouteFacts = Shape<typeof routeFactsSchema>;
