import type {Approval} from '../../core/approval.ts';
import type {FromEvent} from '../../core/approvals/from-event.ts';

/**
 * An approval as the commands print it: `id, tool, server, arguments, run, route, deadline` and more. `tool` is the server's own name of it; a form has
 * neither tool nor arguments. Times are milliseconds since 1970.
 *
 * @see manual/commands.md
 */
export function approvalJson(
	approval: Approval,
	fromEvent?: readonly FromEvent[],
): Readonly<Record<string, unknown>> {
	const {id, kind, profile, run, route, delivery, conversation, requestedAt, deadline, decision} =
		approval;
	const shared = {
		run: run ?? null,
		route: route ?? null,
		deadline,
		delivery: delivery ?? null,
		...(conversation && {conversation}),
	};
	const times = {profile, requestedAt, latestDeadline: approval.latestDeadline};
	if (approval.kind === 'form') {
		const {server, host, message, fields} = approval;
		return {
			id,
			kind,
			tool: null,
			server,
			arguments: null,
			...shared,
			...times,
			host,
			message,
			fields,
			...(decision && {decision}),
		};
	}

	const {tool, args, argsBytes, lastArgs, scopes, mustTypeName} = approval;
	return {
		id,
		kind,
		tool: tool.tool,
		server: tool.server,
		arguments: args,
		...shared,
		...times,
		name: tool.name,
		transport: tool.transport,
		host: tool.host,
		trust: tool.trust,
		claims: tool.claims,
		changed: tool.changed,
		...(tool.changes && {changes: tool.changes}),
		definition: tool.definition,
		argumentsBytes: argsBytes,
		...(lastArgs !== undefined && {lastArguments: lastArgs}),
		...(fromEvent && {fromEvent}),
		scopes,
		mustTypeName,
		...(decision && {decision}),
	};
}
