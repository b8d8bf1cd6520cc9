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
	/** Name of the tool on the server. */
	tool: text,
	/** Name of the tool for models. */
	name: text,
	title: maybeText,
	/** First 1,000 characters. */
	description: text,
	claims: toolClaimsSchema,
	/** Whether a call waits for a person. */
	asks: yesOrNo,
	/** Whether the definition differs from the one that was seen or approved before. */
	changed: yesOrNo,
	/** Names of top-level arguments; required ones are followed by `*`: `title*`. */
	args: texts,
	/** Estimated tokens of its definition in a request to a model, at four characters each; absent from older gateways. */
	tokens: maybeInteger,
});

export const serverLoginSchema = facts({
	/** Default way for a person to log in. */
	flow: z.enum(['browser', 'device']),
	/** Whether the file of the login had tokens when it was last read: at each change of the file and for each request. */
	stored: yesOrNo,
	/** When the latest access token expires, milliseconds since 1970; absent: it never expires, or none was used yet. The token is renewed earlier if possible. */
	expiresAt: maybeNumber,
	/** Host of the authorization server that granted the login. */
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
	/** Time since which the server has this status, milliseconds since 1970. */
	since: number,
	/** The command with its arguments, or the URL, with references not replaced. */
	endpoint: text,
	trust: z.enum(['full', 'untrusted']),
	/** Access that its sandbox allows in addition to system folders: `read /opt/mcp; hosts docs.example`; absent: no sandbox. */
	sandbox: maybeText,
	/** `legacy 2025-11-25`, `stateless 2026-07-28`; absent before the first connection. */
	protocol: maybeText,
	/** Name and version that the server reports. */
	serverInfo: maybeText,
	/** Registered tools: at most 500 of the server itself, then its utility tools. */
	tools: z.array(serverToolViewSchema),
	/** Number of tools that the server itself offers. */
	offered: integer,
	/** `include [get_*]`, `exclude [a, b]`; absent without a filter. */
	filter: maybeText,
	/** Why the server is not connected; one line, redacted. */
	reason: maybeText,
	/** Time of the next connection attempt, milliseconds since 1970. */
	nextAttemptAt: maybeNumber,
	/** Last line of its standard error. */
	stderr: maybeText,
	/** Round trip of the last liveness check, milliseconds. */
	pingMs: maybeNumber,
	/** Number of running calls. */
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
