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

/** Most rules that are told of for one call. */
const maxTold = 5;

/**
 * Why rules for the tool of a call do not cover it, a sentence each: `rule 4 does not cover it: argument path is outside of /home/ann/notes/`. Rules for other tools are
 * not told of. Looks at no disk: where a path leads is not asked. Cleaned.
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

/** The first argument that is not as the rule wants it; `undefined` when all are, as far as their text tells. */
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

/** Whether {@link keptApproval} left out nothing that a person has to read before an answer. */
export const isKeptWhole = (approval: Approval): boolean =>
	approval.kind === 'form' || approval.argsBytes <= maxKeptBytes;

/** Whether a rule still holds at `now`, when the gateway that kept it has ended. */
export const outlivesGateway = (
	{scope, expiresAt, file}: Pick<ApprovalRule, 'scope' | 'expiresAt' | 'file'>,
	now: number,
): boolean =>
	scope === 'always' &&
	// One that stands in a file ends with its line.
	(file !== undefined || (expiresAt !== undefined && now < expiresAt));
