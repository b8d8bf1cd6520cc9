import type {
	alertViewSchema,
	modelViewSchema,
	platformViewSchema,
	diagnosticSchema,
	routeViewSchema,
} from './schemas/config-view.ts';
import type {Shape} from './schemas/parts.ts';

/** One thing wrong, or without effect, in a configuration file. Positions count from 1; 0 when the file has none. */
export type Diagnostic = Shape<typeof diagnosticSchema>;

/** A route as faces see it; never holds a secret. */
export type RouteView = Shape<typeof routeViewSchema>;

/** The model that answers, and how it was chosen. */
export type ModelView = Shape<typeof modelViewSchema>;

/** What became of a platform that results are delivered to. */
export type PlatformView = Shape<typeof platformViewSchema>;

/** Every kind of thing that an alert may tell of. @see manual/alerts.md */
export const alertKinds = ['dead', 'lost', 'login', 'refused', 'approval'] as const;

/**
 * - `dead`: a run that waits for a person to decide. `lost`: a route that turns events away above its rate. `login`: a tool server that needs a login.
 * - `refused`: a part of the gateway that cannot be used: the receiver, a route, a tool server, a platform, a job, the model, the configuration.
 * - `approval`: a call or a form that waits for an answer.
 */
export type AlertKind = (typeof alertKinds)[number];

/** An entry of `alerts`, with how its last message went. */
export type AlertView = Shape<typeof alertViewSchema>;
