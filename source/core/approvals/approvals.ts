import type {
	AnswerOutcome,
	Approval,
	ApprovalAnswer,
	ApprovalRule,
	AskedTool,
	FormApproval,
	FormField,
	RuleOwner,
	ToolApproval,
} from '../approval.ts';
import type {JsonObject, JsonValue} from '../json.ts';
import type {Verdict} from '../tool.ts';
import type {WrittenKey} from './rule-keys.ts';

/** The run that asks. */
export type AskingRun = {
	readonly id: number;
	/** The route whose event started it, and the event's `Delivery.id`. */
	readonly route?: string;
	readonly delivery?: string;
	/** The job that it is a run of. */
	readonly job?: {readonly id: string; readonly name: string};
	/** The turn of a chat that it is. */
	readonly chat?: {readonly key: string};
	/** What it was asked to do. */
	readonly prompt?: string;
	/** What started it; decides how far a yes may reach. */
	readonly startedBy: 'webhook' | 'schedule' | 'person' | 'chat';
	/** When it ends at the latest, milliseconds since 1970: no deadline lies beyond. */
	readonly endsAt: number;
};

/** A call that needs a yes. */
export type CallToApprove = {
	readonly tool: AskedTool;
	readonly args: JsonValue;
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

/** A form of a tool server; strings are cleaned by `cell()` or `block()`. */
export type FormToFill = {
	readonly server: string;
	readonly profile: string;
	readonly host: string;
	readonly message: string;
	readonly fields: readonly FormField[];
	/** The run whose call the server asks for, where that is known. */
	readonly run?: AskingRun;
	/** How long it waits for an answer when nobody asks for more time, milliseconds. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
};

/** `decline`: a person said no. `cancel`: nobody answered. */
export type FormAnswer =
	| {readonly action: 'accept'; readonly content: JsonObject}
	| {readonly action: 'decline'}
	| {readonly action: 'cancel'};

/** What is known of a server's tools now. */
export type ServerChange = {
	readonly profile: string;
	readonly server: string;
	/** `AskedTool.endpoint`; absent when the server is gone, or has no tools. */
	readonly endpoint?: string;
	/** `AskedTool.definition` by the server's own names; absent when the server is gone from the configuration, or switched off. */
	readonly definitions?: ReadonlyMap<string, string>;
	/** The same tools as a person is shown them. */
	readonly tools?: readonly AskedTool[];
};

/** A rule that a person wrote into `config.yaml`. It allows calls with the definition that its tool has when it is seen first, or with the one that is written. */
export type FileRule = {
	/** Without `id`. */
	readonly owner: RuleOwner;
	readonly profile: string;
	/** `AskedTool.name`. */
	readonly name: string;
	readonly when?: readonly WrittenKey[];
	readonly definition?: string;
	/** `config.yaml:12` */
	readonly place: string;
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
	serverChanged(change: ServerChange): void;
	/** Denies everything that waits and everything that comes, and resolves when that is written down. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** A rule that is to be made. */
export type NewRule = Omit<ApprovalRule, 'id' | 'uses' | 'usedAt' | 'problem' | 'present'>;

/** What was allowed last of one tool. */
export type LastAllowed = {
	readonly definition: string;
	/** Absent when they were larger than 64 KiB. */
	readonly args?: JsonValue;
};

/** Which tool of whom, as memory of what was allowed is kept. */
export type ToolKey = {readonly profile: string; readonly server: string; readonly tool: string};

/** An approval that has no number yet. */
export type NewApproval = Omit<ToolApproval, 'id'> | Omit<FormApproval, 'id'>;

/**
 * Where approvals and rules are kept. Each call is atomic, and on disk when it resolves. Arguments above 64 KiB are not kept, and nothing of what a form was
 * filled in with ever comes here.
 * @throws SvcError `journal_unavailable`
 */
export type ApprovalKeeper = {
	/** Writes down a request that waits, or the decision that a rule made; its number, which no other one gets, not even after a restart. */
	add(approval: NewApproval): Promise<number>;
	/** Writes down the decision; with `rule` that rule too, and its number is `decision.rule`. What it answers is what was kept. */
	settle(approval: Approval, rule?: NewRule): Promise<Approval>;
	/** What was allowed last of a tool; `undefined`: nothing ever. */
	lastAllowed(tool: ToolKey): Promise<LastAllowed | undefined>;
	get(id: number): Promise<Approval | undefined>;
	/** Every rule that is kept, oldest first. */
	rules(): Promise<readonly ApprovalRule[]>;
	/** Keeps a rule that no answer made; its number. */
	addRule(rule: NewRule): Promise<number>;
	/** Keeps what became of a rule, but for how often it was used. One that does not exist is not made. */
	changeRule(id: number, rule: NewRule): Promise<void>;
	/** Numbers that do not exist do not count. */
	removeRules(ids: readonly number[]): Promise<void>;
};
