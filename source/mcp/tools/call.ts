import type {Client} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {Clock} from '../../core/clock.ts';
import type {JsonValue} from '../../core/json.ts';
import type {Redact} from '../../core/redact.ts';
import type {ToolContext, ToolResult} from '../../core/tool.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';
import type {CallsUnderWay} from './calls-under-way.ts';
import type {PlannedTool} from './registry.ts';

/** A live connection, as far as calls need it. */
export type Connection = {
	readonly client: Client;
	explain(error: unknown): ConnectFailure;
	/** Aborted when the connection is gone. */
	readonly signal: AbortSignal;
	/** The same that its handlers got. */
	readonly calls: CallsUnderWay;
};

export type LostReason = 'session_expired' | 'stream_lost' | 'closed';

export type CallOutcome =
	| {readonly kind: 'result'; readonly result: ToolResult}
	/** The answer will not come. `sent: false`: the server has not seen the call, so any tool may be called again. */
	| {readonly kind: 'lost'; readonly reason: LostReason; readonly sent: boolean};

export type CallOptions = {
	/** As written or expanded: its name, its trust and `timeoutMs` count. */
	readonly server: ToolServerConfig;
	/** `paths.cache`; what is no text goes to `mcp/` in it. */
	readonly cacheDir: string;
	readonly redact: Redact;
	readonly clock: Clock;
};

/**
 * Calls a tool over `connection`. Never replays. What goes wrong at the server or on the way is a result with `isError`; rejects with the reason of
 * `context.signal` when that aborts.
 */
export async function callTool(
	_connection: Connection,
	_call: {readonly planned: PlannedTool; readonly args: JsonValue; readonly context: ToolContext},
	_options: CallOptions,
): Promise<CallOutcome> {
	throw new Error('not written yet');
}

/** What the model reads of a call whose outcome nobody knows. @see Interface 7, tool-server errors 3 */
export function uncertainResult(_call: {
	readonly server: string;
	readonly tool: string;
	readonly reason: LostReason;
}): ToolResult {
	throw new Error('not written yet');
}
