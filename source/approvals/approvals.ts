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

/** The run that asks. */
export type AskingRun = {
	readonly id: number;
	/** Where it comes from; decides how far a yes may reach. */
	readonly origin: Origin;
	/** What it was asked to do. */
	readonly prompt?: string;
	/** When it ends at the latest, milliseconds since 1970: no deadline lies beyond. */
	readonly endsAt: number;
};

/** A call that needs a yes. */
export type CallToApprove = {
	readonly tool: AskedTool;
	readonly args: JsonValue;
	readonly preview?: CallPreview;
	/** Names the call within its run (without a run: among all tries): it is asked about once. */
	readonly callId: string;
	/** What the model said before it. */
	readonly said?: string;
	/** Absent when a person tries a tool. */
	readonly run?: AskingRun;
	/** How long the call itself may take, milliseconds. */
	readonly toolTimeoutMs: number;
	/** Its abort denies. */
	readonly signal: AbortSignal;
};

export type FormToFill = AskedForm & {
	/** The run whose call the server asks for, where that is known. */
	readonly run?: AskingRun;
};

/** What is known of the tools of a server now, or of those that are built in. */
export type ToolsChange = {
	readonly profile: string;
	/** Absent for the built-in tools. */
	readonly server?: string;
	/** `ShownTool.endpoint`; absent for built-in tools, and when the server is gone, or has no tools. */
	readonly endpoint?: string;
	/** `AskedTool.definition` by the server's own names; absent when the server is gone from the configuration, or switched off. */
	readonly definitions?: ReadonlyMap<string, string>;
	/** The same tools as a person is shown them. */
	readonly tools?: readonly AskedTool[];
};

/** The rules of the file as they stand now. */
export type RulesOfFile = {
	readonly rules: readonly FileRule[];
	/** Whether the file could be read whole: else what is missing may come back, and keeps its definition until then. */
	readonly isWhole: boolean;
};

/**
 * The one queue of everything that needs a person's yes. Rules are asked first, then a person, and at the deadline the answer is no. The first answer
 * wins; every other way out (deadline, abort, shutdown, void, full queue) is a denial. At most 200 wait.
 *
 * @see manual/tool-servers.md#settings, manual/approvals.md
 */
export type Approvals = {
	/** Never rejects. The same call (run and `callId`, tool and arguments) joins the request, or the verdict, that is there. */
	request(call: CallToApprove): Promise<Verdict>;
	/** Never rejects. What is filled in goes to the caller and nowhere else. */
	elicit(form: FormToFill): Promise<FormAnswer>;
	/**
	 * Answers what waits; `by` is who, as it is recorded. Resolves once it is on disk.
	 * @throws SvcError `approval_invalid` for an answer that the request does not take; it waits on
	 */
	settle(id: number, answer: ApprovalAnswer, by: string): Promise<AnswerOutcome>;
	/** Moves the deadline by five minutes, at most to `latestDeadline`; `undefined` when it does not wait. */
	extend(id: number): Approval | undefined;
	/** Oldest first. */
	waiting(): readonly Approval[];
	/** Those that hold, oldest first. */
	rules(): readonly ApprovalRule[];
	/**
	 * Ends a rule; `false` when there is none. Durable when it resolves.
	 * @throws SvcError `journal_unavailable` when it could not be removed: it holds on; `approval_invalid` for one that stands in a file
	 */
	revoke(id: number): Promise<boolean>;
	/** The rules that are kept were changed elsewhere: takes them over. Never rejects. */
	setKeptRules(rules: readonly ApprovalRule[]): Promise<void>;
	/** What the file says now; what it does not say any more has ended when this returns. Never rejects. */
	setFileRules(file: RulesOfFile): Promise<void>;
	/**
	 * A person takes `definition` for the one that the rule of a file is for, as its tool has it now; `undefined` when there is no such rule.
	 * @throws SvcError `approval_invalid` when the tool is not there or is defined otherwise, and for a rule that cannot take another definition
	 */
	acceptRule(id: number, definition: string): Promise<ApprovalRule | undefined>;
	/** Denies what the run still waits for and ends its rules. For each end of the agent's work on a run, also one that is tried again. */
	runEnded(runId: number): void;
	/** Denies what waits for a tool that changed or is gone, and removes rules for other definitions than the present one. */
	toolsChanged(change: ToolsChange): void;
	/** Denies everything that waits and everything that comes, and resolves when that is written down. */
	[Symbol.asyncDispose](): Promise<void>;
};
