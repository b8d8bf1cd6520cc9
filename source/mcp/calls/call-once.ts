import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {JsonValue} from '../../core/json.ts';
import type {Redact} from '../../core/redact.ts';
import type {ToolContext, ToolResult} from '../../core/tool.ts';
import {cell} from '../../core/untrusted.ts';
import type {PlannedTool} from '../catalogue/plan-tools.ts';
import type {ManagedConnection} from '../connection/managed-connection.ts';
import type {OpenConnection} from '../connection/open-connection.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';
import {
	type CallOptions,
	type CallOutcome,
	callTool,
	type LostReason,
	uncertainResult,
} from './call.ts';

export type CallDependencies = {
	readonly connection: Pick<ManagedConnection, 'use' | 'report'>;
	readonly server: () => ToolServerConfig;
	/** The tool that is registered now for what a run started with. */
	readonly find: (seen: PlannedTool) => PlannedTool | undefined;
	readonly options: Omit<CallOptions, 'server'>;
};

/**
 * Calls a tool as a run knows it, over whatever connection there is then; connects when there is none. When the answer is lost, connects anew and calls once
 * more if the server has not seen the call or if the tool only reads; otherwise the outcome is uncertain, and said to be. What goes wrong is a result;
 * rejects only with the reason of `context.signal`.
 *
 * @see Interface 2.12 trust rules, 3, 7 tool-server errors 3
 */
export async function callOnce(
	call: {readonly seen: PlannedTool; readonly args: JsonValue; readonly context: ToolContext},
	dependencies: CallDependencies,
): Promise<ToolResult> {
	const {seen, context} = call;
	const {name} = dependencies.server();
	try {
		const first = await attempt(call, dependencies);
		if (first.kind === 'result') {
			return first.result;
		}

		if (first.sent && !seen.readOnly) {
			return uncertainResult({server: name, tool: seen.tool, reason: first.reason});
		}

		const second = await attempt(call, dependencies);
		if (second.kind === 'result') {
			return second.result;
		}

		return first.sent || second.sent
			? uncertainResult({server: name, tool: seen.tool, reason: second.reason})
			: failedResult(`The tool server "${name}" was not called: its connections were closed`, {
					server: name,
					redact: dependencies.options.redact,
				});
	} catch (error) {
		context.signal.throwIfAborted();
		if (error instanceof ConnectError) {
			return failedResult(`The tool server "${name}" is not connected: ${error.failure.message}`, {
				server: name,
				redact: dependencies.options.redact,
			});
		}

		throw error;
	}
}

async function attempt(
	{
		seen,
		args,
		context,
	}: {
		readonly seen: PlannedTool;
		readonly args: JsonValue;
		readonly context: ToolContext;
	},
	{connection, server, find, options}: CallDependencies,
): Promise<CallOutcome> {
	let used: OpenConnection | undefined;
	let refusal: ConnectFailure | undefined;
	const outcome = await connection.use(context.signal, {
		async task(opened) {
			used = opened;
			const {name} = server();
			const planned = find(seen);
			const reason = reasonNotToCall(seen, planned);
			if (!planned || reason !== undefined) {
				const text = `The tool "${seen.tool}" of the tool server "${name}" ${reason}`;
				const result = failedResult(text, {server: name, redact: options.redact});
				return {kind: 'result', result} as const;
			}

			// What the server refuses in the middle of a call concerns the connection.
			const observed = {
				client: opened.client,
				signal: opened.signal,
				calls: opened.calls,
				explain(error: unknown) {
					const failure = opened.explain(error);
					if (failure.kind === 'needs-login') {
						refusal = failure;
					}

					return failure;
				},
			};
			return callTool(observed, {planned, args, context}, {...options, server: server()});
		},
		answered: ({kind, ...rest}) => kind === 'result' && !('result' in rest && rest.result.isError),
	});
	const failure = outcome.kind === 'lost' ? failures[outcome.reason] : refusal;
	if (used && failure) {
		connection.report(used, failure);
	}

	return outcome;
}

const failures: Readonly<Record<LostReason, ConnectFailure>> = {
	session_expired: {kind: 'session-expired', message: 'It has ended the session'},
	stream_lost: {kind: 'stream-lost', message: 'The stream with its answer was lost'},
	closed: {kind: 'passing', message: 'The connection was closed'},
};

/** A run may hold a tool that is not what it was when the run began: nobody has agreed to what it is now. */
function reasonNotToCall(seen: PlannedTool, now: PlannedTool | undefined): string | undefined {
	if (!now) {
		return 'does not exist any more';
	}

	const isOther =
		now.asked.definition !== seen.asked.definition || now.asked.endpoint !== seen.asked.endpoint;
	return now.needsApproval && (isOther || !seen.needsApproval)
		? 'was changed while this run was under way: it needs a new approval, in a new run'
		: undefined;
}

const failedResult = (
	error: string,
	{server, redact}: {readonly server: string; readonly redact: Redact},
): ToolResult => ({
	text: JSON.stringify({error: cell(redact(error), 1000).text, server}),
	isError: true,
});
