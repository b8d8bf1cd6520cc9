import type {
	AnswerOutcome,
	Approval,
	ApprovalAnswer,
	ApprovalRule,
	AskedForm,
	CallPreview,
	FileRule,
	FormAnswer,
} from '../core/approval.ts';
import type {JsonValue} from '../core/json.ts';
import type {Origin} from '../core/origin.ts';
import type {AskedTool, Verdict} from '../core/tool.ts';

/** The run that makes a call. */
export type AskingRun = {
	readonly id: number;
	/** Its origin; decides the scopes of an approval. */
	readonly origin: Origin;
	/** Its prompt. */
	readonly prompt?: string;
	/** Latest end of the run, milliseconds since 1970: an upper bound for deadlines. */
	readonly endsAt: number;
};

/** A call that needs an approval. */
export type CallToApprove = {
	readonly tool: AskedTool;
	readonly args: JsonValue;
	readonly preview?: CallPreview;
	/** Identifies the call within its run (without a run: among all calls), so that a repeated call asks only once. */
	readonly callId: string;
	/** The text that the model wrote before the call. */
	readonly said?: string;
	/** Absent when a person tries a tool. */
	readonly run?: AskingRun;
	/** Timeout of the call itself, milliseconds. */
	readonly toolTimeoutMs: number;
	/** An abort denies the call. */
	readonly signal: AbortSignal;
};

export type FormToFill = AskedForm & {
	/** The run whose call made the server send the form, if that is known. */
	readonly run?: AskingRun;
};

/** The present tools of a server, or the built-in ones. */
export type ToolsChange = {
	readonly profile: string;
	/** Absent for the built-in tools. */
	readonly server?: string;
	/** `ShownTool.endpoint`; absent for built-in tools, and when the server is gone, or has no tools. */
	readonly endpoint?: string;
	/** `AskedTool.definition` by the names that the server gives its tools; absent when the server was removed from the configuration, or switched off. */
	readonly definitions?: ReadonlyMap<string, string>;
	/** The tools as shown to people. */
	readonly tools?: readonly AskedTool[];
};

/** The rules that `config.yaml` holds at present. */
export type RulesOfFile = {
	readonly rules: readonly FileRule[];
	/** Whether the whole file could be read. If not, rules that are missing in it are kept with their definitions, since they may come back. */
	readonly isWhole: boolean;
};

/**
 * The queue of calls and forms that need an approval. First rules decide, then a person; at the deadline a request is denied. The first decision wins; every other end
 * (deadline, abort, shutdown, void, full queue) is a denial. At most 200 requests wait.
 *
 * @see manual/tool-servers.md#settings, manual/approvals.md
 */
export type Approvals = {
	/** Asks for an approval of a call. Never rejects. A repeated call (same run, `callId`, tool and arguments) shares the waiting request, or its verdict. */
	request(call: CallToApprove): Promise<Verdict>;
	/** Asks a person to fill in a form. Never rejects. The content of the form is passed only to the caller. */
	elicit(form: FormToFill): Promise<FormAnswer>;
	/**
	 * Answers a waiting request; `by` is recorded. Resolves when the decision is durable.
	 * @throws SvcError `approval_invalid` for an invalid answer; the request keeps waiting
	 */
	settle(id: number, answer: ApprovalAnswer, by: string): Promise<AnswerOutcome>;
	/** Extends the deadline by five minutes, at most to `latestDeadline`; `undefined` for a request that does not wait. */
	extend(id: number): Approval | undefined;
	/** Waiting requests, oldest first. */
	waiting(): readonly Approval[];
	/** Rules in force, oldest first. */
	rules(): readonly ApprovalRule[];
	/**
	 * Ends a rule; `false` for an unknown one. Resolves when that is durable.
	 * @throws SvcError `journal_unavailable` when it could not be removed: it stays in force; `approval_invalid` for a rule of a file
	 */
	revoke(id: number): Promise<boolean>;
	/** Replaces the stored rules after another gateway changed them. Never rejects. */
	setKeptRules(rules: readonly ApprovalRule[]): Promise<void>;
	/** Replaces the rules of the file; removed ones allow nothing once this returns. Never rejects. */
	setFileRules(file: RulesOfFile): Promise<void>;
	/**
	 * Binds the rule of a file to the present `definition` of its tool, which a person has accepted; `undefined` for an unknown rule.
	 * @throws SvcError `approval_invalid` when the tool is missing or defined differently, when the file fixes another definition, and for a rule of no file
	 */
	acceptRule(id: number, definition: string): Promise<ApprovalRule | undefined>;
	/** Denies the waiting requests of a run and ends its rules. Call it whenever the agent stops working on a run, even before another try. */
	runEnded(runId: number): void;
	/** Denies waiting requests for tools that changed or were removed, and ends rules that are bound to another definition than the present one. */
	toolsChanged(change: ToolsChange): void;
	/** Denies all waiting and new requests, and resolves when that is stored. */
	[Symbol.asyncDispose](): Promise<void>;
};
