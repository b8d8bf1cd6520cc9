import type {CallPreview, ShownTool} from './approval.ts';
import type {JsonObject, JsonValue} from './json.ts';
import type {Shape} from './schemas/parts.ts';
import type {toolResultSchema} from './schemas/tool-server.ts';

/** Most functions in one request to a model: the documented limit of some model APIs, which reject more. */
export const maxToolsOfRun = 128;

/** Longest description that these APIs accept, in UTF-16 units. */
export const maxToolDescriptionLength = 1024;

/**
 * Something the agent may call. The agent need not know whether it belongs to a tool server or is built in.
 */
export type Tool = {
	/** At most 64 characters of `A-Za-z0-9_-`. */
	readonly name: string;
	/** Description for models, at most `maxToolDescriptionLength`. */
	readonly description: string;
	/** The title that the server gives, not cleaned; only for searches. */
	readonly title?: string;
	/** JSON Schema of the arguments. */
	readonly inputSchema: JsonObject;
	/** Whether the tool claims to change nothing. An interrupted run may be repeated if it started only such tools. */
	readonly readOnly: boolean;
	/** Whether each call needs an approval. Read at each call: it may change with the settings. */
	readonly needsApproval: boolean;
	/** The tool as shown in a request for approval; absent if calls never need one. */
	readonly asked?: AskedTool;
	/** Describes the effect of one call for the person who approves it. Changes nothing. Rejects as `execute` does. */
	preview?(args: JsonValue, context: Pick<ToolContext, 'signal'>): Promise<PreviewResult>;
	/** Runs the tool. Rejects with the abort reason when `signal` aborts. */
	execute(args: JsonValue, context: ToolContext): Promise<ToolResult>;
};

export type ToolContext = {
	readonly signal: AbortSignal;
	/** Absent when a person tries the tool. */
	readonly runId?: number;
	/** Identifies the state that the preview showed: the call fails if that state has changed since. */
	readonly basis?: string;
	/** Reports progress, one cleaned line; must not throw. */
	readonly onProgress?: (text: string) => void;
};

export type PreviewResult =
	/** The preview for a person; `basis` is passed to the call. */
	| {readonly preview: CallPreview; readonly basis?: string}
	/** The call would fail in any case: the message for the model. */
	| {readonly problem: string};

export type ToolResult = Shape<typeof toolResultSchema>;

/** Whether a call may be made. `reason`: who allowed it, or, as one line for the model, why not. `rule`: the rule that allowed it. */
export type Verdict = {readonly allowed: boolean; readonly reason: string; readonly rule?: number};

/** Asks for an approval. Anything but an explicit yes is a denial. */
export type Approve = (call: {
	readonly tool: Tool;
	readonly args: JsonValue;
	/** The effect of the call, for built-in tools. */
	readonly preview?: CallPreview;
	/** Identifies the call within the run: people are asked only once about a call. */
	readonly callId: string;
	/** The text of the model right before the call; empty: none. */
	readonly said: string;
	readonly runId: number;
	/** When the run ends at the latest, milliseconds since 1970. */
	readonly endsAt: number;
	readonly signal: AbortSignal;
}) => Promise<Verdict>;

/** The server of a tool, in stored and sent form. */
type ServerFacts = Required<
	Pick<ShownTool, 'server' | 'host' | 'transport' | 'endpoint' | 'trust'>
>;

/** A tool of a server. */
export type FromServer = {readonly kind: 'server'} & ServerFacts;

/** The origin of a tool: a tool server, or built in. */
export type ToolFrom = FromServer | {readonly kind: 'built-in'};

/** A tool inside the program, with a typed origin; `ShownTool` is its stored form. */
export type AskedTool = Omit<ShownTool, keyof ServerFacts | 'from'> & {readonly from: ToolFrom};

/** The server of a tool in rules and in remembered calls; without `server` and `endpoint` the tool is built in. */
type ToolPlace = Pick<ShownTool, 'server' | 'endpoint'>;

/** Reads the origin of a stored tool. A tool of a server has all five members. */
export const toolFrom = ({
	server,
	host,
	transport,
	endpoint,
	trust,
}: Pick<ShownTool, keyof ServerFacts>): ToolFrom =>
	server === undefined ||
	host === undefined ||
	transport === undefined ||
	endpoint === undefined ||
	trust === undefined
		? {kind: 'built-in'}
		: {kind: 'server', server, host, transport, endpoint, trust};

/** Converts a tool to its stored and sent form. */
export function shownTool({from, profile, tool, name, ...about}: AskedTool): ShownTool {
	if (from.kind === 'built-in') {
		return {profile, tool, name, ...about};
	}

	const {server, transport, host, endpoint, trust} = from;
	return {server, profile, tool, name, transport, host, endpoint, trust, ...about};
}

export const toolPlace = (from: ToolFrom): ToolPlace =>
	from.kind === 'server' ? {server: from.server, endpoint: from.endpoint} : {};

export const isSamePlace = (one: ToolPlace, other: ToolPlace): boolean =>
	one.server === other.server && one.endpoint === other.endpoint;

/** The origin in words that follow the name of a tool: `on github-tools`, `(built in)`. Not cleaned. */
export const whereWords = (from: ToolFrom): string =>
	from.kind === 'server' ? `on ${from.server}` : '(built in)';

/** The author of the description, the schema and the claims of a tool. */
export const speakers: Readonly<Record<ToolFrom['kind'], 'the server' | 'svc'>> = {
	server: 'the server',
	'built-in': 'svc',
};
