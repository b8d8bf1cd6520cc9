import type {Shape} from './schemas/parts.ts';
import type {
	serverLoginSchema,
	serverToolViewSchema,
	serverViewSchema,
	testedServerSchema,
} from './schemas/tool-server.ts';

/** Where a tool server stands. @see manual/tool-servers.md */
export const serverStatuses = [
	'skipped',
	'lazy',
	'connecting',
	'connected',
	'needs login',
	'failed',
	'parked',
	'recycled',
] as const;

/**
 * - `skipped`: switched off. `lazy`: its tools come from the cache, the first call connects.
 * - `failed`: tried again at `nextAttemptAt`. `parked`: no further try before a person, a changed file or a slow look of its own.
 * - `recycled`: ended for idleness or age; its tools stay, the next call connects.
 */
export type ServerStatus = (typeof serverStatuses)[number];

/** One tool of a server as faces see it; what the server says is cleaned by `escapeLine` or `escapeBlock`. */
export type ServerToolView = Shape<typeof serverToolViewSchema>;

/** A tool server as faces see it; never holds a secret. Strings from outside are cleaned. */
export type ServerView = Shape<typeof serverViewSchema>;

/** The login of a server with `auth: oauth` as faces see it: no token, no code. */
export type ServerLoginView = Shape<typeof serverLoginSchema>;

/** How a connection that was tried went. */
export type TestedServer = Shape<typeof testedServerSchema>;
