import type {
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
