import type {Shape} from './schemas/parts.ts';
import type {
	serverLoginSchema,
	serverToolViewSchema,
	serverViewSchema,
	testedServerSchema,
} from './schemas/tool-server.ts';

/** Every {@link ServerStatus}. @see manual/tool-servers.md */
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
 * - `skipped`: switched off. `lazy`: its tools come from the cache, and the first call connects.
 * - `failed`: tried again at `nextAttemptAt`. `parked`: tried again only by a person, after a change of its file, or at long intervals.
 * - `recycled`: closed for idleness or age; its tools stay registered, and the next call connects again.
 */
export type ServerStatus = (typeof serverStatuses)[number];

/** One tool of a server as faces see it; texts of the server are cleaned by `escapeLine` or `escapeBlock`. */
export type ServerToolView = Shape<typeof serverToolViewSchema>;

/** A tool server as faces see it; never holds a secret. Untrusted strings are cleaned. */
export type ServerView = Shape<typeof serverViewSchema>;

/** The login of a server with `auth: oauth` as faces see it, without tokens and codes. */
export type ServerLoginView = Shape<typeof serverLoginSchema>;

/** Result of testing the connection to a tool server. */
export type TestedServer = Shape<typeof testedServerSchema>;
