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

/** How long an approval lasts: for this call, the rest of its run, until the gateway ends, or until its rule expires. */
export type ApprovalScope = (typeof approvalScopes)[number];

/** Every kind of {@link RuleOwner}. */
export const ruleOwnerKinds = ['job', 'route', 'chat'] as const;

/** The route, job or chat to whose runs a rule is limited. */
export type RuleOwner = Shape<typeof ruleOwnerSchema>;

/** One argument that a rule compares. */
export type RuleKey = Shape<typeof ruleKeySchema>;

/** Unverified claims of a tool server about a tool. */
export type ToolClaims = Shape<typeof toolClaimsSchema>;

/** The tool of a call, as shown to the person who decides. Strings are cleaned by `escapeLine` or `escapeBlock`. Call `toolFrom` for its origin. */
export type ShownTool = Shape<typeof askedToolSchema> & {
	/** Makes the compiler reject an `AskedTool` here: it has no `server` and would count as built in. */
	readonly from?: never;
};

/** The effect of a call of a built-in tool. */
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

/** The outcome of a request. All but `allowed` deny. */
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

/** An answer that a face may give. */
export type ApprovalAnswer = Shape<typeof approvalAnswerSchema>;

/** The effect of an answer. If it came too late, `approval` shows how the request was settled; `approval` is absent for an unknown request. */
export type AnswerOutcome = Shape<typeof answerOutcomeSchema>;

/** A standing approval. It covers one definition of one tool of one server of one profile, and nothing else. */
export type ApprovalRule = Shape<typeof approvalRuleSchema>;

/** A rule that a person wrote into `config.yaml`. It allows calls with the definition that its tool has when first seen, or with the definition that the rule names. */
export type FileRule = {
	/** A route, or a job by its name; without `id`. */
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
	/** Time limit for the answer, milliseconds; it can be extended. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
};

/** `decline`: a person refused. `cancel`: there was no answer. */
export type FormAnswer =
	| {readonly action: 'accept'; readonly content: JsonObject}
	| {readonly action: 'decline'}
	| {readonly action: 'cancel'};
