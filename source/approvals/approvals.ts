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
	/** Identifies the call within its run (without a run: among all tries), so that it asks only once. */
	readonly callId: string;
	/** The text of the model before the call. */
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
	/** `AskedTool.definition` by the names of the server; absent when the server was removed from the configuration, or switched off. */
	readonly definitions?: ReadonlyMap<string, string>;
	/** The tools as shown to people. */
	readonly tools?: readonly AskedTool[];
};

/** The present rules of the file. */
export type RulesOfFile = {
	readonly rules: readonly FileRule[];
	/** Whether the whole file could be read. Otherwise missing rules may come back, and their definitions are kept. */
	readonly isWhole: boolean;
};

/**
 * The queue of everything that needs an approval. Rules decide first, then a person; at the deadline a request is denied. The first answer
 * wins; every other outcome (deadline, abort, shutdown, void, full queue) is a denial. At most 200 requests wait.
 *
 * @see manual/tool-servers.md#settings, manual/approvals.md
 */
export type Approvals = {
	/** Never rejects. A repeated call (run and `callId`, tool and arguments) shares the waiting request, or its verdict. */
	request(call: CallToApprove): Promise<Verdict>;
	/** Never rejects. The content of the form is passed only to the caller. */
	elicit(form: FormToFill): Promise<FormAnswer>;
	/**
	 * Answers a waiting request; `by` is recorded. Resolves when it is durable.
	 * @throws SvcError `approval_invalid` for an invalid answer; the request keeps waiting
	 */
	settle(id: number, answer: ApprovalAnswer, by: string): Promise<AnswerOutcome>;
	/** Moves the deadline by five minutes, at most to `latestDeadline`; `undefined` for a request that does not wait. */
	extend(id: number): Approval | undefined;
	/** Waiting requests, oldest first. */
	waiting(): readonly Approval[];
	/** Rules in force, oldest first. */
	rules(): readonly ApprovalRule[];
	/**
	 * Ends a rule; `false` for an unknown one. Durable when it resolves.
	 * @throws SvcError `journal_unavailable` when it could not be removed: it stays in force; `approval_invalid` for a rule of a file
	 */
	revoke(id: number): Promise<boolean>;
	/** Takes over stored rules that were changed elsewhere. Never rejects. */
	setKeptRules(rules: readonly ApprovalRule[]): Promise<void>;
	/** Sets the rules of the file; removed ones have ended when this returns. Never rejects. */
	setFileRules(file: RulesOfFile): Promise<void>;
	/**
	 * Lets a person accept `definition`, the present one of the tool, for the rule of a file; `undefined` for an unknown rule.
	 * @throws SvcError `approval_invalid` when the tool is missing or defined differently, and for a rule with a fixed definition
	 */
	acceptRule(id: number, definition: string): Promise<ApprovalRule | undefined>;
	/** Denies the waiting requests of a run and ends its rules. Call it whenever the agent stops working on a run, even before another try. */
	runEnded(runId: number): void;
	/** Denies requests for tools that changed or were removed, and removes rules for other definitions than the present one. */
	toolsChanged(change: ToolsChange): void;
	/** Denies all waiting and new requests, and resolves when that is stored. */
	[Symbol.asyncDispose](): Promise<void>;
};
