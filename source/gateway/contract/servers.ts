import {z} from 'zod';
import {facts, jsonObject, maybeText, text, texts} from '../../core/schemas/parts.ts';
import {
	serverViewSchema,
	testedServerSchema,
	toolResultSchema,
} from '../../core/schemas/tool-server.ts';
import {get, post, type Operations} from './operation.ts';

/** A server may be given ten minutes to connect; a little more, so that its own words arrive. */
const connectSilenceMs = 11 * 60_000;

/** A call that a person tries ends at the latest so long after it was asked for: servers that connect, the wait for a yes, then the call. */
export const maxTryMs = 20 * 60_000;

/** An operation on the connection of `profile`; of the gateway's own when absent. */
const connection = <const Act extends string, Result extends z.ZodType>(
	act: Act,
	summary: string,
	result: Result,
) =>
	post(
		`/v1/servers/{name}/${act}` as const,
		`${summary} Body: {"profile": "whose connection"} or nothing.`,
		{body: z.strictObject({profile: maybeText}), result, silenceMs: connectSilenceMs},
	);

/** Tool servers and their tools. */
export const servers = {
	listServers: get('/v1/servers', 'Every tool server with its tools, by profile and name.', {
		result: z.array(serverViewSchema),
	}),
	/** Connects, also what is parked or lazy; resolves when that has succeeded or failed. @throws SvcError `server_not_found` */
	connectServer: connection(
		'connect',
		'Connects, also a parked or lazy server; answers when that has succeeded or failed.',
		serverViewSchema,
	),
	/** Ends the connection; the tools stay, and the next call connects again. @throws SvcError `server_not_found` */
	disconnectServer: connection(
		'disconnect',
		'Ends the connection; the tools stay, and the next call connects again.',
		serverViewSchema,
	),
	/** Connects beside whatever is connected, lists, and leaves. @throws SvcError `server_not_found` and why it failed */
	testServer: connection(
		'test',
		'Makes a separate connection, lists the tools, and disconnects.',
		testedServerSchema,
	),
	/** What `reload` would do to the tool servers, without doing it. */
	planServerReload: get(
		'/v1/servers-reload-plan',
		'What reading the configuration again would do to the tool servers.',
		{
			result: facts({
				/** `+ crm2`, `~ github-tools: tools.include changed (14 → 9 tools, 1 approval rule becomes void)`, `- old`. Empty: nothing. */
				changes: texts,
				/** Names of servers whose connections would end. */
				closes: texts,
			}),
		},
	),
	/** Calls a tool as a run would, through the approvals too. `by` names the face. @throws SvcError `tool_not_found`, `tool_denied` */
	tryTool: post(
		'/v1/tools/{name}/try',
		'Calls a tool as a run would: if the call needs approval, it waits for that. Body: {"arguments": {…}, "by": "who tries", "profile": "whose connection"}.',
		{
			body: z.strictObject({
				arguments: jsonObject.exactOptional(),
				by: text.min(1).max(200),
				profile: maybeText,
			}),
			result: toolResultSchema,
			// A little more than a try may take, so that its own words arrive.
			silenceMs: maxTryMs + 60_000,
			heedsHangUp: true,
		},
	),
} as const satisfies Operations;
