import type {CallPreview, ShownTool} from './approval.ts';
import type {JsonObject, JsonValue} from './json.ts';
import type {Shape} from './schemas/parts.ts';
import type {toolResultSchema} from './schemas/tool-server.ts';

/** As many functions one request to a model takes, by the APIs that say so; more are answered with an error. */
export const maxToolsOfRun = 128;

/** Characters (UTF-16 units) of a description that these APIs take. */
export const maxToolDescriptionLength = 1024;

/**
 * Something the agent may call. The agent knows tools only; where they come from (a tool server, a built-in) is not its business.
 */
export type Tool = {
	/** At most 64 characters of `A-Za-z0-9_-`. */
	readonly name: string;
	/** For models: at most `maxToolDescriptionLength`. */
	readonly description: string;
	/** What the server calls it before people, raw; for searches alone. */
	readonly title?: string;
	/** JSON Schema of the arguments. */
	readonly inputSchema: JsonObject;
	/** Claimed to change nothing; decides whether an interrupted run may be repeated. */
	readonly readOnly: boolean;
	/** Whether a person must agree before each call. Asked at each call: it may change with the settings. */
	readonly needsApproval: boolean;
	/** What a person is shown of it; absent for what never asks. */
	readonly asked?: AskedTool;
	/** What one call would do, for a person who is asked about it. Changes nothing. Rejects as `execute` does. */
	preview?(args: JsonValue, context: Pick<ToolContext, 'signal'>): Promise<PreviewResult>;
	/** Runs the tool. Rejects with the abort reason when `signal` aborts. */
	execute(args: JsonValue, context: ToolContext): Promise<ToolResult>;
};

export type ToolContext = {
	readonly signal: AbortSignal;
	/** Absent when a person tries the tool. */
	readonly runId?: number;
	/** What the call is bound to, as its preview told: it fails where that is something else by now. */
	readonly basis?: string;
	/** Tells how far the call is, one cleaned line; must not throw. */
	readonly onProgress?: (text: string) => void;
};

export type PreviewResult =
	/** What a person is shown; `basis` goes to the call. */
	| {readonly preview: CallPreview; readonly basis?: string}
	/** The call would come to nothing, whoever agrees: what the model is told. */
	| {readonly problem: string};

export type ToolResult = Shape<typeof toolResultSchema>;

/** Whether a call may be made. `reason`: who allowed it, or, as one line for the model, why not. `rule`: the one that allowed it. */
export type Verdict = {readonly allowed: boolean; readonly reason: string; readonly rule?: number};

/** Asks whoever may decide. Every way out that is not an explicit yes is a denial. */
export type Approve = (call: {
	readonly tool: Tool;
	readonly args: JsonValue;
	/** What svc itself tells of what the call would do. */
	readonly preview?: CallPreview;
	/** Identifies the call within the run: one call is asked about once. */
	readonly callId: string;
	/** What the model said right before the call; empty: nothing. */
	readonly said: string;
	readonly runId: number;
	/** When the run ends at the latest, milliseconds since 1970. */
	readonly endsAt: number;
	readonly signal: AbortSignal;
}) => Promise<Verdict>;

/** What of a tool says which server it is of, as the journal and the wire have it. */
type ServerFacts = Required<
	Pick<ShownTool, 'server' | 'host' | 'transport' | 'endpoint' | 'trust'>
>;

/** A tool of a server. */
export type FromServer = {readonly kind: 'server'} & ServerFacts;

/** Where a tool comes from: a tool server, or the program itself. */
export type ToolFrom = FromServer | {readonly kind: 'built-in'};

/** A tool as the program knows it. */
export type AskedTool = Omit<ShownTool, keyof ServerFacts | 'from'> & {readonly from: ToolFrom};

/** Which tool is meant, as rules and the memory of what was allowed have it: without server and endpoint a built-in one. */
type ToolPlace = Pick<ShownTool, 'server' | 'endpoint'>;

/** Reads where a tool comes from. One of a server has all five facts. */
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

/** The tool as the journal and the wire have it. */
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

/** What stands behind the name of a tool: `on github-tools`, `(built in)`. Not cleaned. */
export const whereWords = (from: ToolFrom): string =>
	from.kind === 'server' ? `on ${from.server}` : '(built in)';

/** Whose words the description, the schema and the claims of a tool are. */
export const speakers: Readonly<Record<ToolFrom['kind'], 'the server' | 'svc'>> = {
	server: 'the server',
	'built-in': 'svc',
};
