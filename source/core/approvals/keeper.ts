import type {
	ApprovalDecision,
	ApprovalRule,
	Approval,
	FormApproval,
	ToolApproval,
	ShownTool,
} from '../approval.ts';
import type {JsonValue} from '../json.ts';

/** A rule that is to be made. */
export type NewRule = Omit<ApprovalRule, 'id' | 'uses' | 'usedAt' | 'problem' | 'present'>;

/** What was allowed last of one tool. */
export type LastAllowed = {
	readonly definition: string;
	/** Absent when they were larger than 64 KiB. */
	readonly args?: JsonValue;
};

/** Which tool of whom, as memory of what was allowed is kept. */
export type ToolKey = Pick<ShownTool, 'profile' | 'server' | 'tool'>;

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
	/**
	 * Writes down the decision; with `rule` that rule too, and its number is `decision.rule`. The first decision wins, of whichever gateway: a later one changes nothing and makes no rule.
	 * What it answers is what was kept: see {@link isDecidedBy}.
	 */
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

/** Whether it is `decision` that was kept, and not an earlier one of another gateway. */
export const isDecidedBy = (
	{decision: kept}: Pick<Approval, 'decision'>,
	{outcome, at, by}: ApprovalDecision,
): boolean => kept?.outcome === outcome && kept.at === at && kept.by === by;

/** Arguments above this are not kept once a call is settled, bytes of UTF-8. */
const maxKeptBytes = 64 * 1024;

/** An approval as histories and the events of settlements have it: without arguments above 64 KiB, and without those of the call before. */
export function keptApproval(approval: Approval): Approval {
	if (approval.kind === 'form') {
		return approval;
	}

	const {lastArgs: _, ...kept} = approval;
	return kept.argsBytes > maxKeptBytes ? {...kept, args: null} : kept;
}

/** Whether a rule still holds at `now`, when the gateway that kept it has ended. */
export const outlivesGateway = (
	{scope, expiresAt, file}: Pick<ApprovalRule, 'scope' | 'expiresAt' | 'file'>,
	now: number,
): boolean =>
	scope === 'always' &&
	// One that stands in a file ends with its line.
	(file !== undefined || (expiresAt !== undefined && now < expiresAt));
