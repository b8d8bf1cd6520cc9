import type {
	ApprovalRule,
	RuleKey,
	ToolApproval,
	ApprovalDecision,
	Approval,
	FormApproval,
	ShownTool,
} from '../approval.ts';
import {jsonHash, isJsonObject, type JsonValue} from '../json.ts';
import {quotedName} from '../names.ts';
import {isRuledBy, originOf} from '../origin.ts';
import {isSamePlace} from '../tool.ts';
import {type Safe, escapeLine} from '../untrusted.ts';
import {isBelowByName} from './below-folder.ts';
import {isSame, namedArguments, valuesAt} from './rule-keys.ts';

/** Most rules that are explained for one call. */
const maxTold = 5;

/**
 * Why the rules for the tool of a call do not cover it, one sentence each: `rule 4 does not cover it: argument path is outside of /home/ann/notes/`. Rules for other tools are
 * left out. Does not read the disk: real paths are not compared. Cleaned.
 */
export function whyNotCovered(
	approval: ToolApproval,
	rules: readonly ApprovalRule[],
): readonly Safe[] {
	const {tool} = approval;
	return rules
		.filter(
			({profile, server, tool: name, file}) =>
				profile === tool.profile &&
				(file ? file.name === tool.name : server === tool.server && name === tool.tool),
		)
		.slice(0, maxTold)
		.map(rule => escapeLine(`rule ${rule.id} does not cover it: ${reasonOf(rule, approval)}`, 400));
}

function reasonOf(rule: ApprovalRule, {tool, args, run, ...asker}: ToolApproval): string {
	const {owner} = rule;
	if (owner && !isRuledBy(owner, originOf(asker))) {
		return `it is for runs of ${owner.kind} ${quotedName(owner.name)}`;
	}

	if (tool.why !== undefined) {
		return 'without a sandbox every call asks';
	}

	if (rule.problem !== undefined) {
		return rule.problem;
	}

	if (rule.scope === 'run' && rule.run !== run) {
		return `it is for run ${rule.run ?? '?'}`;
	}

	if (!isSamePlace(rule, tool)) {
		return 'the tool server is another one than it was';
	}

	if (rule.definition !== tool.definition) {
		return 'the tool is not defined as it was';
	}

	return rule.when
		? (keyReason(rule.when, {tool, args}) ?? 'where its paths lead on this machine is not below')
		: argumentReason(rule.args, args);
}

function argumentReason(bound: ApprovalRule['args'], args: JsonValue): string {
	if (bound?.keys) {
		return `${argumentsText(bound.keys)} ${bound.keys.length === 1 ? 'is' : 'are'} not the same`;
	}

	return !bound || bound.hash === jsonHash(args)
		? 'it was made after the call asked'
		: 'its arguments are not exactly the same';
}

const argumentsText = (keys: readonly string[]): string =>
	`${keys.length === 1 ? 'argument' : 'arguments'} ${keys.map(quotedName).join(', ')}`;

/** The first argument that does not fit the rule; `undefined` when the texts of all arguments do. */
function keyReason(
	keys: readonly RuleKey[],
	{tool, args}: Pick<ToolApproval, 'tool' | 'args'>,
): string | undefined {
	const named = new Set(namedArguments(tool));
	const strange = isJsonObject(args) ? Object.keys(args).filter(key => !named.has(key)) : [];
	if (strange.length > 0) {
		return `${argumentsText(strange)} ${strange.length === 1 ? 'is' : 'are'} not of its schema`;
	}

	for (const {key, equals, below} of keys) {
		const values = valuesAt(args, key.split('.'))?.flat();
		const name = argumentsText([key]);
		if (!values || values.length === 0) {
			return `${name} is missing`;
		}

		if (
			below !== undefined &&
			!values.every(value => typeof value === 'string' && isBelowByName(value, below))
		) {
			return `${name} is outside of ${below}/`;
		}

		if (below === undefined && !values.every(value => isSame(value, equals ?? null))) {
			return `${name} is not ${JSON.stringify(equals)}`;
		}
	}

	return undefined;
}

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
	/** Stores a waiting request, or the decision of a rule. Returns its number, which is unique also across restarts. */
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

/** Whether `decision` was stored, and not an earlier one of another gateway. */
export const isDecidedBy = (
	{decision: kept}: Pick<Approval, 'decision'>,
	{outcome, at, by}: ApprovalDecision,
): boolean => kept?.outcome === outcome && kept.at === at && kept.by === by;

/** Largest arguments that are stored with a settled call, bytes of UTF-8. */
const maxKeptBytes = 64 * 1024;

/** An approval as stored and as reported when settled: without arguments above 64 KiB, and without those of the call before. */
export function keptApproval(approval: Approval): Approval {
	if (approval.kind === 'form') {
		return approval;
	}

	const {lastArgs: _, ...kept} = approval;
	return kept.argsBytes > maxKeptBytes ? {...kept, args: null} : kept;
}

/** Whether {@link keptApproval} keeps everything that a person must read before an answer. */
export const isKeptWhole = (approval: Approval): boolean =>
	approval.kind === 'form' || approval.argsBytes <= maxKeptBytes;

/** Whether a rule still holds at `now` after the end of the gateway that stored it. */
export const outlivesGateway = (
	{scope, expiresAt, file}: Pick<ApprovalRule, 'scope' | 'expiresAt' | 'file'>,
	now: number,
): boolean =>
	scope === 'always' &&
	// A rule of a file ends with its line.
	(file !== undefined || (expiresAt !== undefined && now < expiresAt));
