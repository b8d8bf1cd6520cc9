import type {
	alertViewSchema,
	modelViewSchema,
	platformViewSchema,
	diagnosticSchema,
	routeViewSchema,
} from './schemas/config-view.ts';
import type {Shape} from './schemas/parts.ts';

/** An error or a warning about a configuration file. `line` and `column` count from 1; 0: no position. */
export type Diagnostic = Shape<typeof diagnosticSchema>;

/** A route as faces see it; never holds a secret. */
export type RouteView = Shape<typeof routeViewSchema>;

/** The model in use, and how it was chosen. */
export type ModelView = Shape<typeof modelViewSchema>;

/** The state of a platform that receives results. */
export type PlatformView = Shape<typeof platformViewSchema>;

/** Every {@link AlertKind}. @see manual/alerts.md */
export const alertKinds = ['dead', 'lost', 'login', 'refused', 'approval'] as const;

/**
 * - `dead`: a run waits for a decision. `lost`: a route refuses events above its rate. `login`: a tool server needs a login.
 * - `refused`: a part of the gateway cannot be used: the receiver, a route, a tool server, a platform, a job, the model, the configuration.
 * - `approval`: a call or a form waits for an answer.
 */
export type AlertKind = (typeof alertKinds)[number];

/** An entry of `alerts`, with the result of its last message. */
export type AlertView = Shape<typeof alertViewSchema>;
