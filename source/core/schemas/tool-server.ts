import {z} from 'zod';
import {serverStatuses} from '../tool-server.ts';
import {toolClaimsSchema} from './approval.ts';
import {
	facts,
	integer,
	maybe,
	maybeInteger,
	maybeNumber,
	maybeText,
	number,
	text,
	texts,
	yesOrNo,
} from './parts.ts';

export const serverToolViewSchema = facts({
	/** The server's own name. */
	tool: text,
	/** The name that models use. */
	name: text,
	title: maybeText,
	/** First 1,000 characters. */
	description: text,
	claims: toolClaimsSchema,
	/** Whether a call waits for a person. */
	asks: yesOrNo,
	/** The definition is not the one that was seen, or approved, before. */
	changed: yesOrNo,
	/** Top-level arguments: `title*` for required ones. */
	args: texts,
	/** Tokens that its definition takes of a request to a model, at four characters each; absent: an older gateway does not say. */
	tokens: maybeInteger,
});

export const serverLoginSchema = facts({
	/** How a person logs in, unless they choose otherwise. */
	flow: z.enum(['browser', 'device']),
	/** Whether tokens were there when they were looked for last; they are when its file changes, and with each request. */
	stored: yesOrNo,
	/** When the access token that was used last ends, milliseconds since 1970; absent: it has no end, or none was used yet. It is renewed before that where it can be. */
	expiresAt: maybeNumber,
	/** Host of the authorization server that granted it. */
	issuer: maybeText,
	/** What it grants, separated by blanks. */
	scope: maybeText,
});

export const serverViewSchema = facts({
	/** As it is configured, at most 128 characters. */
	name: text,
	profile: text,
	transport: z.enum(['stdio', 'http', 'sse']),
	status: z.enum(serverStatuses),
	/** When it came to that, milliseconds since 1970. */
	since: number,
	/** The command with its arguments, or the URL, with references as they are written. */
	endpoint: text,
	trust: z.enum(['full', 'untrusted']),
	/** What it finds in the sandbox that it is started in beside the system's folders: `read /opt/mcp; hosts docs.example`; absent: it has none. */
	sandbox: maybeText,
	/** `legacy 2025-11-25`, `stateless 2026-07-28`; absent before the first connection. */
	protocol: maybeText,
	/** What it calls itself, with its version. */
	serverInfo: maybeText,
	/** Registered tools: at most 500 of the server itself, then its utility tools. */
	tools: z.array(serverToolViewSchema),
	/** How many tools it offers itself. */
	offered: integer,
	/** `include [get_*]`, `exclude [a, b]`; absent without a filter. */
	filter: maybeText,
	/** Why it is not connected; one line, redacted. */
	reason: maybeText,
	/** When it is tried again, milliseconds since 1970. */
	nextAttemptAt: maybeNumber,
	/** Last line of its standard error. */
	stderr: maybeText,
	/** Round trip of the last liveness check, milliseconds. */
	pingMs: maybeNumber,
	/** Calls under way. */
	activeCalls: integer,
	/** Absent without `auth: oauth`. */
	login: serverLoginSchema.exactOptional(),
	/** What a person should know: names that collided, tools that changed; one line each, at most 20. */
	warnings: texts,
}).register(z.globalRegistry, {id: 'ToolServer'});

export const testedServerSchema = facts({
	server: serverViewSchema,
	/** Milliseconds from the start to the list of tools. */
	durationMs: number,
});

export const toolResultSchema = facts({
	/** What the model reads. */
	text,
	isError: maybe,
});
