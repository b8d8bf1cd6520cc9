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
	/** The definition differs from the one seen, or approved, before. */
	changed: yesOrNo,
	/** Top-level arguments: `title*` for required ones. */
	args: texts,
	/** Tokens of its definition in a request to a model, at four characters each; absent from older gateways. */
	tokens: maybeInteger,
});

export const serverLoginSchema = facts({
	/** How a person logs in, unless they choose otherwise. */
	flow: z.enum(['browser', 'device']),
	/** Whether tokens were stored at the last look; its file is read when it changes, and with each request. */
	stored: yesOrNo,
	/** When the latest access token expires, milliseconds since 1970; absent: it never does, or none was used yet. It is renewed earlier if possible. */
	expiresAt: maybeNumber,
	/** Host of the authorization server that granted it. */
	issuer: maybeText,
	/** The granted scopes, separated by blanks. */
	scope: maybeText,
});

export const serverViewSchema = facts({
	/** The configured name, at most 128 characters. */
	name: text,
	profile: text,
	transport: z.enum(['stdio', 'http', 'sse']),
	status: z.enum(serverStatuses),
	/** Start of that status, milliseconds since 1970. */
	since: number,
	/** The command with its arguments, or the URL, with references as they are written. */
	endpoint: text,
	trust: z.enum(['full', 'untrusted']),
	/** The access that its sandbox gives besides the system's folders: `read /opt/mcp; hosts docs.example`; absent: it has no sandbox. */
	sandbox: maybeText,
	/** `legacy 2025-11-25`, `stateless 2026-07-28`; absent before the first connection. */
	protocol: maybeText,
	/** Name and version that it reports. */
	serverInfo: maybeText,
	/** Registered tools: at most 500 of the server itself, then its utility tools. */
	tools: z.array(serverToolViewSchema),
	/** Number of tools that the server itself offers. */
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
	/** Collisions of names, changed tools; one line each, at most 20. */
	warnings: texts,
}).register(z.globalRegistry, {id: 'ToolServer'});

export const testedServerSchema = facts({
	server: serverViewSchema,
	/** Milliseconds from the start to the list of tools. */
	durationMs: number,
});

export const toolResultSchema = facts({
	/** The text that the model reads. */
	text,
	isError: maybe,
});
