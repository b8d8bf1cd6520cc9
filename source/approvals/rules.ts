import type {
	ApprovalAnswer,
	ApprovalDecision,
	ApprovalRule,
	RuleKey,
	ToolApproval,
} from '../core/approval.ts';
import type {NewRule} from '../core/approvals/keeper.ts';
import {keysText, namedArguments, unnamedKey} from '../core/approvals/rule-keys.ts';
import {jsonHash, isJsonObject, type JsonValue} from '../core/json.ts';
import {quotedName} from '../core/names.ts';
import {isRuledBy} from '../core/origin.ts';
import {isSamePlace, toolPlace, type AskedTool} from '../core/tool.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {AskingRun, CallToApprove, ToolsChange} from './approvals.ts';

/** How long a rule of scope `always` is in force, milliseconds. */
const alwaysMs = 30 * 24 * 60 * 60 * 1000;

/** Most rules in force. Above that an answer makes no rule, and allows only its own call. */
export const maxRules = 1000;

/** The facts of a call that rules are compared with. */
export type RuledCall = Pick<CallToApprove, 'args'> & {
	readonly tool: Pick<
		CallToApprove['tool'],
		'profile' | 'from' | 'tool' | 'name' | 'definition' | 'claims' | 'inputSchema' | 'why'
	>;
	/** The run that asks. */
	readonly run?: Pick<AskingRun, 'id' | 'origin'>;
};

/** Whether a tool may be destructive. This is assumed unless its server denies it. @see MCP 2025-06-18, ToolAnnotations `destructiveHint` */
export const mayDestroy = ({claims}: Pick<CallToApprove['tool'], 'claims'>): boolean =>
	claims.destructive !== false;

/** Whether a rule still holds at `now`, milliseconds since 1970. */
export const isInForce = ({expiresAt}: Pick<ApprovalRule, 'expiresAt'>, now: number): boolean =>
	expiresAt === undefined || now < expiresAt;

/**
 * The rules that allow the call at `now`, except that their `when` is not compared yet: `areAsKeysSay` does that. Everything that a rule is bound to must be equal; the name
 * that models use is compared only for rules of files.
 */
export const rulesFor = (
	call: RuledCall,
	rules: readonly ApprovalRule[],
	now: number,
): readonly ApprovalRule[] => rules.filter(rule => isInForce(rule, now) && allows(rule, call));

const allows = (rule: ApprovalRule, {tool, args, run}: RuledCall): boolean =>
	// `why`: svc itself has a reason to ask, which nobody considered when the rules were made.
	tool.why === undefined &&
	(rule.owner === undefined || (run !== undefined && isRuledBy(rule.owner, run.origin))) &&
	(rule.file === undefined || (rule.file.name === tool.name && !isTooWide(rule, tool))) &&
	rule.profile === tool.profile &&
	isSamePlace(rule, toolPlace(tool.from)) &&
	rule.tool === tool.tool &&
	rule.definition === tool.definition &&
	(rule.scope !== 'run' || (rule.run !== undefined && rule.run === run?.id)) &&
	(rule.args === undefined || rule.args.hash === argsHash(args, rule.args.keys));

/** Whether a rule of a file may cover a call, but is not bound to a tool yet. */
export const isUnseen = ({file, definition, profile}: ApprovalRule, {tool}: RuledCall): boolean =>
	tool.why === undefined &&
	file?.name === tool.name &&
	definition === '' &&
	profile === tool.profile;

/** Whether a rule of a file covers a tool that may be destructive without limiting its arguments. */
const isTooWide = ({when}: Pick<ApprovalRule, 'when'>, tool: RuledCall['tool']): boolean =>
	when === undefined && mayDestroy(tool);

/** The hash of all arguments, or of the values under `keys`; `undefined` when any key is missing. */
function argsHash(args: JsonValue, keys: readonly string[] | undefined): string | undefined {
	if (keys === undefined) {
		return jsonHash(args);
	}

	return hasAll(args, keys)
		? jsonHash(Object.fromEntries(keys.map(key => [key, args[key] ?? null])))
		: undefined;
}

const hasAll = (
	args: JsonValue,
	keys: readonly string[],
): args is {readonly [key: string]: JsonValue} =>
	isJsonObject(args) && keys.every(key => Object.hasOwn(args, key));

/** The rule that an answer makes; `undefined` when it allows only this call. The answer must have passed `answerProblem`. */
export function ruleOf(
	{tool, args, run, lasting}: ToolApproval,
	answer: Extract<ApprovalAnswer, {readonly choice: 'allow'}>,
	{at, by, keys}: {readonly at: number; readonly by: string; readonly keys?: readonly RuleKey[]},
): NewRule | undefined {
	const {scope} = answer;
	if (scope === 'once') {
		return undefined;
	}

	const {profile, server, tool: name, endpoint, definition} = tool;
	return {
		profile,
		...(server !== undefined && {server}),
		tool: name,
		...(endpoint !== undefined && {endpoint}),
		definition,
		scope,
		...(scope === 'run' && run !== undefined && {run}),
		...(scope === 'always' && lasting && {owner: lasting.owner}),
		...(keys ? {when: [...keys]} : boundArgs(args, answer.args)),
		createdAt: at,
		createdBy: by,
		...(scope === 'always' && {expiresAt: at + alwaysMs}),
	};
}

function boundArgs(
	args: JsonValue,
	which: 'any' | 'exact' | readonly string[] = 'any',
): Pick<NewRule, 'args'> {
	if (which === 'any') {
		return {};
	}

	const keys = which === 'exact' ? undefined : which.toSorted();
	const hash = argsHash(args, keys);
	// Without a hash, because a key is missing, the rule never matches: the empty text is no hash.
	return {args: {hash: hash ?? '', ...(keys ? {keys} : shownOf(args))}};
}

const maxShownBytes = 4096;

const shownOf = (args: JsonValue) =>
	Buffer.byteLength(JSON.stringify(args)) <= maxShownBytes ? {shown: args} : {};

/** The decision by a rule. It describes the rule, which may no longer exist when somebody reads the decision. */
export const ruledBy = (rule: ApprovalRule, at: number): ApprovalDecision => ({
	outcome: 'allowed',
	at,
	by: escapeLine(
		[`rule ${rule.id}`, bindingOf(rule)].filter(text => text !== '').join(': '),
		maxBy,
	),
	rule: rule.id,
});

const maxBy = 300;

/** Describes the bounds of a rule: `job nightly, path below /home/alice/notes/`; empty if it has none. */
function bindingOf({owner, when, file}: ApprovalRule): string {
	return [
		...(owner ? [`${owner.kind} ${quotedName(owner.name)}`] : []),
		...(when ? [keysText(when)] : []),
		...(file ? [file.place] : []),
	].join(', ');
}

/**
 * The rules that a change of a server ends: all rules of a removed or moved server, and those bound to another definition than the present one. Not among them: rules of files,
 * which wait for a person, and rules of tools that are merely not listed.
 */
export const voidedRules = (
	rules: readonly ApprovalRule[],
	{profile, server, endpoint, definitions}: ToolsChange,
): readonly ApprovalRule[] =>
	rules.filter(
		rule =>
			rule.file === undefined &&
			rule.profile === profile &&
			rule.server === server &&
			(definitions === undefined ||
				(endpoint !== undefined && rule.endpoint !== endpoint) ||
				(definitions.has(rule.tool) && definitions.get(rule.tool) !== rule.definition)),
	);

/**
 * Why the rule of a file allows nothing at present; `undefined`: it is effective. `tool`: the present tool with its name, if one was seen. `closed`: folders closed to all
 * rules, absolute.
 */
export function problemWithRule(
	rule: ApprovalRule,
	tool: AskedTool | undefined,
	closed: readonly string[],
): string | undefined {
	const {id, when, definition} = rule;
	const shut = when?.find(({below, real = below}) => isInside(real, closed));
	if (shut) {
		return `"${shut.below}/" is in the data directory of svc, which no rule opens: choose a folder outside of it`;
	}

	if (!tool) {
		return definition === '' ? 'no tool of that name was seen yet' : undefined;
	}

	if (tool.why !== undefined) {
		return `every call asks: ${tool.why}`;
	}

	if (isTooWide(rule, tool)) {
		return 'the tool may destroy: it needs "when"';
	}

	const unnamed = when && unnamedKey(when, tool);
	if (unnamed !== undefined) {
		return namedArguments(tool) === undefined
			? 'the schema of the tool is too large, or names no arguments: "when" cannot be used for it'
			: `the tool has no argument "${unnamed}"`;
	}

	if (definition === '') {
		return `the tool is not defined as it was when it was seen first: svc approvals accept ${id}`;
	}

	if (tool.definition !== definition) {
		return `the tool is defined otherwise now: svc approvals accept ${id}`;
	}

	return isSamePlace(toolPlace(tool.from), rule) && tool.tool === rule.tool
		? undefined
		: `its server is another program or address now: svc approvals accept ${id}`;
}

const isInside = (folder: string | undefined, closed: readonly string[]): boolean =>
	folder !== undefined && closed.some(place => folder === place || folder.startsWith(`${place}/`));
