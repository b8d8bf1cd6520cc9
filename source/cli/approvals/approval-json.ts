import type {Approval} from '../../core/approval.ts';
import type {FromEvent} from '../../core/approvals/from-event.ts';
import {toolFrom} from '../../core/tool.ts';

/**
 * The JSON of an approval: `id, tool, server, arguments, run, route, deadline` and more. `tool` is the server's own name for it; a form has neither tool nor
 * arguments, a built-in tool no `server`. Times are milliseconds since 1970.
 *
 * @see manual/commands.md
 */
export function approvalJson(
	approval: Approval,
	fromEvent?: readonly FromEvent[],
): Readonly<Record<string, unknown>> {
	const {id, kind, profile, run, route, delivery, conversation, requestedAt, deadline, ...rest} =
		approval;
	const {decision, node} = rest;
	const shared = {
		run: run ?? null,
		route: route ?? null,
		deadline,
		delivery: delivery ?? null,
		...(conversation && {conversation}),
		...(node !== undefined && {node}),
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

	const from = toolFrom(approval.tool);
	const {tool, args, argsBytes, preview, lastArgs, scopes, mustTypeName} = approval;
	return {
		id,
		kind,
		tool: tool.tool,
		...(from.kind === 'server' && {server: from.server}),
		arguments: args,
		...shared,
		...times,
		name: tool.name,
		...(from.kind === 'server' && {transport: from.transport, host: from.host, trust: from.trust}),
		claims: tool.claims,
		...(tool.why !== undefined && {why: tool.why}),
		...(preview && {preview}),
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
