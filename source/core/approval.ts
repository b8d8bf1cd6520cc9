import type {WrittenKey} from './approvals/rule-keys.ts';
import type {JsonObject} from './json.ts';
import type {
	answerOutcomeSchema,
	approvalAnswerSchema,
	approvalDecisionSchema,
	approvalRuleSchema,
	askedToolSchema,
	callPreviewSchema,
	formApprovalSchema,
	formFieldSchema,
	ruleKeySchema,
	ruleOwnerSchema,
	toolApprovalSchema,
	toolClaimsSchema,
} from './schemas/approval.ts';
import type {Shape} from './schemas/parts.ts';

/** Every {@link ApprovalScope}. */
export const approvalScopes = ['once', 'run', 'process', 'always'] as const;

/** How far a yes reaches: this call, the rest of its run, until the gateway ends, or until its rule expires. */
export type ApprovalScope = (typeof approvalScopes)[number];

/** Every kind of {@link RuleOwner}. */
export const ruleOwnerKinds = ['job', 'route', 'chat'] as const;

/** Whose runs a rule is for. */
export type RuleOwner = Shape<typeof ruleOwnerSchema>;

/** One argument that a rule compares. */
export type RuleKey = Shape<typeof ruleKeySchema>;

/** What a tool server says of a tool. Claims: nobody has verified them. */
export type ToolClaims = Shape<typeof toolClaimsSchema>;

/** The tool that a call is for, as far as a person needs it to decide. Strings are cleaned by `escapeLine` or `escapeBlock`. `toolFrom` reads where it comes from. */
export type ShownTool = Shape<typeof askedToolSchema> & {
	/** What the program knows of a tool is never taken for what it shows: one without a server would count as built in. */
	readonly from?: never;
};

/** What svc tells of what a call of a tool of its own would do. */
export type CallPreview = Shape<typeof callPreviewSchema>;

/** One field of a form that a tool server wants filled in. */
export type FormField = Shape<typeof formFieldSchema>;

/** Every {@link ApprovalOutcome}. */
export const approvalOutcomes = [
	'allowed',
	'denied',
	'timeout',
	'cancelled',
	'shutdown',
	'void',
	'full',
] as const;

/** The way out of a request. `timeout`, `cancelled`, `shutdown` and `void` deny like `denied` does. */
export type ApprovalOutcome = (typeof approvalOutcomes)[number];

/** How a request was settled. */
export type ApprovalDecision = Shape<typeof approvalDecisionSchema>;

/** A call that waits for a person, or waited for one. */
export type ToolApproval = Omit<Shape<typeof toolApprovalSchema>, 'tool'> & {
	readonly tool: ShownTool;
};

/** A form of a tool server that waits for a person, or waited for one. */
export type FormApproval = Shape<typeof formApprovalSchema>;

export type Approval = ToolApproval | FormApproval;

/** What a face may answer. */
export type ApprovalAnswer = Shape<typeof approvalAnswerSchema>;

/** What became of an answer: when it was not the first, how another one, or the deadline, settled it; nothing when there is no such request. */
export type AnswerOutcome = Shape<typeof answerOutcomeSchema>;

/** A standing yes. It holds for one definition of one tool of one server of one profile and for nothing else. */
export type ApprovalRule = Shape<typeof approvalRuleSchema>;

/** A rule that a person wrote into `config.yaml`. It allows calls with the definition that its tool has when it is seen first, or with the one that is written. */
export type FileRule = {
	/** Without `id`. */
	readonly owner: RuleOwner;
	readonly profile: string;
	/** `ShownTool.name`. */
	readonly name: string;
	readonly when?: readonly WrittenKey[];
	readonly definition?: string;
	/** `config.yaml:12` */
	readonly place: string;
};

/** A form of a tool server; strings are cleaned by `escapeLine` or `escapeBlock`. */
export type AskedForm = {
	readonly server: string;
	readonly profile: string;
	readonly host: string;
	readonly message: string;
	readonly fields: readonly FormField[];
	/** How long it waits for an answer when nobody asks for more time, milliseconds. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
};

/** `decline`: a person said no. `cancel`: nobody answered. */
export type FormAnswer =
	| {readonly action: 'accept'; readonly content: JsonObject}
	| {readonly action: 'decline'}
	| {readonly action: 'cancel'};
