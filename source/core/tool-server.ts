import type {ToolClaims} from './approval.ts';

/** Where a tool server stands. @see Decisions 6 */
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

/** One tool of a server as faces see it; what the server says is cleaned by `cell()` or `block()`. */
export type ServerToolView = {
	/** The server's own name. */
	readonly tool: string;
	/** The name that models use. */
	readonly name: string;
	readonly title?: string;
	/** First 1,000 characters. */
	readonly description: string;
	readonly claims: ToolClaims;
	/** Whether a call waits for a person. */
	readonly asks: boolean;
	/** The definition is not the one that was seen, or approved, before. */
	readonly changed: boolean;
	/** Top-level arguments: `title*` for required ones. */
	readonly args: readonly string[];
};

/** A tool server as faces see it; never holds a secret. Strings from outside are cleaned. */
export type ServerView = {
	/** As it is configured, at most 128 characters. */
	readonly name: string;
	readonly profile: string;
	readonly transport: 'stdio' | 'http' | 'sse';
	readonly status: ServerStatus;
	/** When it came to that, milliseconds since 1970. */
	readonly since: number;
	/** The command with its arguments, or the URL, with references as they are written. */
	readonly endpoint: string;
	readonly trust: 'full' | 'untrusted';
	/** `legacy 2025-11-25`, `stateless 2026-07-28`; absent before the first connection. */
	readonly protocol?: string;
	/** What it calls itself, with its version. */
	readonly serverInfo?: string;
	/** Registered tools: at most 500 of the server itself, then its utility tools. */
	readonly tools: readonly ServerToolView[];
	/** How many tools it offers itself. */
	readonly offered: number;
	/** `include [get_*]`, `exclude [a, b]`; absent without a filter. */
	readonly filter?: string;
	/** Why it is not connected; one line, redacted. */
	readonly reason?: string;
	/** When it is tried again, milliseconds since 1970. */
	readonly nextAttemptAt?: number;
	/** Last line of its standard error. */
	readonly stderr?: string;
	/** Round trip of the last liveness check, milliseconds. */
	readonly pingMs?: number;
	/** Calls under way. */
	readonly activeCalls: number;
	/** What a person should know: names that collided, tools that changed; one line each, at most 20. */
	readonly warnings: readonly string[];
};
