import type {Shape} from './schemas/parts.ts';
import type {
	payloadKeysSchema,
	routeBacktestSchema,
	routeDraftSchema,
	routeFieldSchema,
	routePreviewSchema,
} from './schemas/route-editor.ts';

/** One setting of a route, as a form needs to know it. */
export type RouteField = Shape<typeof routeFieldSchema>;

/** What somebody would make of a route. */
export type RouteDraft = Shape<typeof routeDraftSchema>;

/** What a draft makes of one delivery. */
export type RoutePreview = Shape<typeof routePreviewSchema>;

/** What a draft makes of stored deliveries. */
export type RouteBacktest = Shape<typeof routeBacktestSchema>;

/** Keys that payloads of a route have had. */
export type PayloadKeys = Shape<typeof payloadKeysSchema>;
