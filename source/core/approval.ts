import type {JsonObject, JsonValue} from './json.ts';

/** How far a yes reaches: this call, the rest of its run, until the gateway ends, or until its rule expires. */
export type ApprovalScope = 'once' | 'run' | 'process' | 'always';

/** What a tool server says of a tool. Claims: nobody has verified them. */
export type ToolClaims = {
	readonly readOnly?: boolean;
	readonly destructive?: boolean;
	readonly idempotent?: boolean;
	readonly openWorld?: boolean;
};

/** The tool that a call is for, as far as a person needs it to decide. Strings are cleaned by `cell()` or `block()`. */
export type AskedTool = {
	readonly server: string;
	readonly profile: string;
	/** The name that the server uses; compare it raw, show it cleaned. */
	readonly tool: string;
	/** The name that the model uses: `mcp__github__create_issue`. */
	readonly name: string;
	readonly transport: 'stdio' | 'http' | 'sse';
	/** Host of the server, or the name of its program. */
	readonly host: string;
	/** Lower-case hex SHA-256 of where the server is, as it is written: its command with its arguments, or its URL. Another one is another server, whatever its name. */
	readonly endpoint: string;
	readonly trust: 'full' | 'untrusted';
	readonly claims: ToolClaims;
	/** First 4,000 characters of what the server says of it. */
	readonly description: string;
	/** At most 16 KiB of it as JSON; `null` when it is larger. */
	readonly inputSchema: JsonValue;
	/** Lower-case hex SHA-256 of the canonical JSON of name, title, description, schemas and annotations. */
	readonly definition: string;
	/** The definition is not the one that was approved, or seen, before. */
	readonly changed: boolean;
};

/** One field of a form that a tool server wants filled in. */
export type FormField = {
	readonly key: string;
	readonly title: string;
	readonly description: string;
	readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
	readonly required: boolean;
	readonly initial?: JsonValue;
	/** For `choice` and `choices`: values with what a person reads. */
	readonly options?: ReadonlyArray<{readonly value: string; readonly title: string}>;
	/** `email`, `uri`, `date` or `date-time`. */
	readonly format?: string;
	/** Bounds of the number, of the length of the text, or of how many are chosen. */
	readonly least?: number;
	readonly most?: number;
	/** The key or the title sounds like a secret: shown masked, never copied, never kept. */
	readonly masked: boolean;
};

/** The way out of a request. `timeout`, `cancelled`, `shutdown` and `void` deny like `denied` does. */
export type ApprovalOutcome =
	| 'allowed'
	| 'denied'
	| 'timeout'
	| 'cancelled'
	| 'shutdown'
	| 'void'
	| 'full';

/** How a request was settled. */
export type ApprovalDecision = {
	readonly outcome: ApprovalOutcome;
	/** Milliseconds since 1970. */
	readonly at: number;
	/** Who: `tui (alice, pts/3)`, `cli (alice)`, `rule 4`, `deadline`, `gateway`. */
	readonly by: string;
	/** For `allowed`. */
	readonly scope?: ApprovalScope;
	/** The rule that allowed, or that this decision made. */
	readonly rule?: number;
	/** What the agent is told, for what is not allowed. */
	readonly reason?: string;
};

type Asked = {
	/** Counts up for good, also over restarts. */
	readonly id: number;
	/** The run that waits; absent when a person tries a tool. */
	readonly run?: number;
	readonly route?: string;
	/** `Delivery.id` that the run came from. */
	readonly delivery?: string;
	readonly profile: string;
	/** Milliseconds since 1970. */
	readonly requestedAt: number;
	/** When it is denied by itself, milliseconds since 1970. */
	readonly deadline: number;
	/** The deadline cannot be moved beyond this. */
	readonly latestDeadline: number;
	/** Absent while it waits. */
	readonly decision?: ApprovalDecision;
};

/** A call that waits for a person, or waited for one. */
export type ToolApproval = Asked & {
	readonly kind: 'tool';
	readonly tool: AskedTool;
	/** What the call would be made with; never altered. `null` in histories when it was larger than 64 KiB. */
	readonly args: JsonValue;
	/** Size of the arguments as JSON in UTF-8. */
	readonly argsBytes: number;
	/** Arguments of the last call of this tool that was allowed. */
	readonly lastArgs?: JsonValue;
	/** The scopes that may be chosen; `once` is always one of them. */
	readonly scopes: readonly ApprovalScope[];
	/** The tool's name must be typed once: it claims to destroy, is used for the first time, or changed. */
	readonly mustTypeName: boolean;
};

/** A form of a tool server that waits for a person, or waited for one. */
export type FormApproval = Asked & {
	readonly kind: 'form';
	readonly server: string;
	readonly host: string;
	/** What the server says above the form, cleaned. */
	readonly message: string;
	readonly fields: readonly FormField[];
};

export type Approval = ToolApproval | FormApproval;

/** What a face may answer. */
export type ApprovalAnswer =
	| {
			readonly choice: 'allow';
			readonly scope: ApprovalScope;
			/** Which arguments a rule covers: any, exactly these, or those that are equal under these top-level keys. Any when absent. */
			readonly args?: 'any' | 'exact' | readonly string[];
			/** What was typed, where `mustTypeName`. */
			readonly typedName?: string;
	  }
	| {readonly choice: 'deny'; readonly reason?: string}
	/** Fills in a form. */
	| {readonly choice: 'submit'; readonly content: JsonObject};

/** A standing yes. It holds for one definition of one tool of one server of one profile and for nothing else. */
export type ApprovalRule = {
	readonly id: number;
	readonly profile: string;
	readonly server: string;
	readonly tool: string;
	/** See `AskedTool.endpoint`. */
	readonly endpoint: string;
	/** See `AskedTool.definition`. */
	readonly definition: string;
	readonly scope: 'run' | 'process' | 'always';
	/** For `run`. */
	readonly run?: number;
	/** Absent: any arguments. Hash of all of them, or of the values under `keys`. */
	readonly args?: {readonly keys?: readonly string[]; readonly hash: string};
	readonly createdAt: number;
	readonly createdBy: string;
	/** Milliseconds since 1970; for `always`. */
	readonly expiresAt?: number;
	/** How often it has allowed. */
	readonly uses: number;
};
