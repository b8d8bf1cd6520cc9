import type {
	ApprovalRule,
	ToolApproval,
	ApprovalDecision,
	Approval,
	FormApproval,
	ShownTool,
} from '../approval.ts';
import type {JsonValue} from '../json.ts';

/** A rule to be made. */
export type NewRule = Omit<ApprovalRule, 'id' | 'uses' | 'usedAt' | 'problem' | 'present'>;

/** The last allowed call of a tool. */
export type LastAllowed = {
	readonly definition: string;
	/** Absent above 64 KiB. */
	readonly args?: JsonValue;
};

/** The key under which the last allowed call of a tool is stored. */
export type ToolKey = Pick<ShownTool, 'profile' | 'server' | 'tool'>;

/** An approval without a number. */
export type NewApproval = Omit<ToolApproval, 'id'> | Omit<FormApproval, 'id'>;

/**
 * The store of approvals and rules. Each call is atomic, and durable when it resolves. Arguments above 64 KiB are not stored, and the content of forms
 * never is.
 * @throws SvcError `journal_unavailable`
 */
export type ApprovalKeeper = {
	/** Stores a waiting request, or one that a rule decided. Returns the number of the approval, never used again. */
	add(approval: NewApproval): Promise<number>;
	/**
	 * Stores the decision, and `rule`, whose number becomes `decision.rule`. The first decision of any gateway wins: a later one changes nothing and makes no rule.
	 * Returns the stored approval: see {@link isDecidedBy}.
	 */
	settle(approval: Approval, rule?: NewRule): Promise<Approval>;
	/** The last allowed call of a tool; `undefined`: none. */
	lastAllowed(tool: ToolKey): Promise<LastAllowed | undefined>;
	get(id: number): Promise<Approval | undefined>;
	/** All stored rules, oldest first. */
	rules(): Promise<readonly ApprovalRule[]>;
	/** Stores a rule that does not come from an answer. Returns its number. */
	addRule(rule: NewRule): Promise<number>;
	/** Updates a rule, except its uses. A missing rule is not created. */
	changeRule(id: number, rule: NewRule): Promise<void>;
	/** Removes rules. Unknown numbers are ignored. */
	removeRules(ids: readonly number[]): Promise<void>;
};

/** Whether a stored approval has this decision, rather than an earlier one by another gateway. */
export const isDecidedBy = (
	{decision: kept}: Pick<Approval, 'decision'>,
	{outcome, at, by}: ApprovalDecision,
): boolean => kept?.outcome === outcome && kept.at === at && kept.by === by;

/** Largest arguments that are stored with a call, bytes of UTF-8. */
const maxKeptBytes = 64 * 1024;

/** An approval as stored and as reported when settled: without arguments above 64 KiB, and without `lastArgs`. */
export function keptApproval(approval: Approval): Approval {
	if (approval.kind === 'form') {
		return approval;
	}

	const {lastArgs: _, ...kept} = approval;
	return kept.argsBytes > maxKeptBytes ? {...kept, args: null} : kept;
}

/** Whether {@link keptApproval} keeps everything that a person must read before answering. */
export const isKeptWhole = (approval: Approval): boolean =>
	approval.kind === 'form' || approval.argsBytes <= maxKeptBytes;

/** Whether a rule still holds at `now` after the end of the gateway that stored it. */
export const outlivesGateway = (
	{scope, expiresAt, file}: Pick<ApprovalRule, 'scope' | 'expiresAt' | 'file'>,
	now: number,
): boolean =>
	scope === 'always' &&
	// A rule of a file is valid as long as its line exists.
	(file !== undefined || (expiresAt !== undefined && now < expiresAt));
