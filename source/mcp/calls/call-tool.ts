import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {JsonValue} from '../../core/json.ts';
import type {ToolContext, ToolResult} from '../../core/tool.ts';
import type {PlannedTool} from '../catalogue/plan-tools.ts';
import type {ManagedConnection} from '../connection/managed-connection.ts';
import type {OpenConnection} from '../connection/open-connection.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';
import {attemptCall, type ToolCallOptions, type CallOutcome, failedCall} from './attempt-call.ts';
import {failureOfConnection, uncertainResult} from './lost-call.ts';

/** A tool as a run knows it, with a call's arguments. */
export type ToolCall = {
	readonly seen: PlannedTool;
	readonly args: JsonValue;
	readonly context: ToolContext;
};

export type CallDependencies = {
	readonly connection: Pick<ManagedConnection, 'use' | 'report'>;
	readonly server: () => ToolServerConfig;
	/** The tool registered now for the one that a run started with. */
	readonly find: (seen: PlannedTool) => PlannedTool | undefined;
	readonly options: Omit<ToolCallOptions, 'server'>;
};

/**
 * Calls a tool over the current connection, connecting if there is none. If the answer is lost, reconnects and calls once more, provided the server has not seen
 * the call or the tool only reads; otherwise the result says that the outcome is uncertain. Errors become results; rejects only with the reason of
 * `context.signal`.
 *
 * @see manual/tool-servers.md#settings, manual/tool-servers.md#results
 */
export async function callTool(
	call: ToolCall,
	dependencies: CallDependencies,
): Promise<ToolResult> {
	const {
		seen: {tool, readOnly},
		context,
	} = call;
	const server = dependencies.server();
	const failed = (why: string) =>
		failedCall(`The tool server "${server.name}" ${why}`, {...dependencies.options, server});
	try {
		const first = await callOverConnection(call, dependencies);
		const isOver = first.kind === 'result' || (first.sent && !readOnly);
		const last = isOver ? first : await callOverConnection(call, dependencies);
		if (last.kind === 'result') {
			return last.result;
		}

		return last.sent || (first.kind === 'lost' && first.sent)
			? uncertainResult({server: server.name, tool, reason: last.reason})
			: failed('was not called: its connections were closed');
	} catch (error) {
		context.signal.throwIfAborted();
		if (error instanceof ConnectError) {
			return failed(`is not connected: ${error.failure.message}`);
		}

		throw error;
	}
}

/** One attempt over the current connection; reports failures that concern the connection. */
async function callOverConnection(
	{seen, args, context}: ToolCall,
	{connection, server, find, options}: CallDependencies,
): Promise<CallOutcome> {
	let used: OpenConnection | undefined;
	let refusal: ConnectFailure | undefined;
	const outcome = await connection.use<CallOutcome>(context.signal, {
		async task(opened) {
			used = opened;
			const present = {...options, server: server()};
			const planned = find(seen);
			const reason = reasonNotToCall(seen, planned);
			if (!planned || reason !== undefined) {
				const text = `The tool "${seen.tool}" of the tool server "${present.server.name}" ${reason}`;
				return {kind: 'result', result: failedCall(text, present)};
			}

			// A server that demands a login in the middle of a call concerns the whole connection.
			const explain = (error: unknown) => {
				const failure = opened.explain(error);
				refusal = failure.kind === 'needs-login' ? failure : refusal;
				return failure;
			};

			return attemptCall({...opened, explain}, {planned, args, context}, present);
		},
		answered: answer => answer.kind === 'result' && answer.result.isError !== true,
	});
	const failure = outcome.kind === 'lost' ? failureOfConnection(outcome.reason) : refusal;
	if (used && failure) {
		connection.report(used, failure);
	}

	return outcome;
}

/** A tool may have changed since the run began, and nobody has approved its new definition. */
function reasonNotToCall(seen: PlannedTool, now: PlannedTool | undefined): string | undefined {
	if (!now) {
		return 'does not exist any more';
	}

	const isOther =
		now.asked.definition !== seen.asked.definition ||
		now.asked.from.endpoint !== seen.asked.from.endpoint;
	return now.needsApproval && (isOther || !seen.needsApproval)
		? 'was changed while this run was under way: it needs a new approval, in a new run'
		: undefined;
}
