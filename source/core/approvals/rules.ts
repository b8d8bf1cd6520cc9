import type {ApprovalAnswer, ApprovalDecision, ApprovalRule, ToolApproval} from '../approval.ts';
import {jsonHash} from '../canonical-json.ts';
import {isJsonObject, type JsonValue} from '../json.ts';
import type {CallToApprove, NewRule, ServerChange} from './approvals.ts';

/** How long `always` holds, milliseconds. */
const alwaysMs = 30 * 24 * 60 * 60 * 1000;

/** Most rules that hold at once; a yes that would make another one holds once. */
export const maxRules = 1000;

/** What a rule is compared with. */
export type RuledCall = Pick<CallToApprove, 'args'> & {
	readonly tool: Pick<
		CallToApprove['tool'],
		'profile' | 'server' | 'tool' | 'endpoint' | 'definition'
	>;
	/** The run that asks. */
	readonly run?: {readonly id: number};
};

/** Whether a rule still holds at `now`, milliseconds since 1970. */
export const isInForce = ({expiresAt}: Pick<ApprovalRule, 'expiresAt'>, now: number): boolean =>
	expiresAt === undefined || now < expiresAt;

/** The first rule that allows the call at `now`. Everything that a rule is bound to must be equal; the name that a model uses does not count. */
export const ruleFor = (
	call: RuledCall,
	rules: readonly ApprovalRule[],
	now: number,
): ApprovalRule | undefined => rules.find(rule => isInForce(rule, now) && allows(rule, call));

const allows = (rule: ApprovalRule, {tool, args, run}: RuledCall): boolean =>
	rule.profile === tool.profile &&
	rule.server === tool.server &&
	rule.tool === tool.tool &&
	rule.endpoint === tool.endpoint &&
	rule.definition === tool.definition &&
	(rule.scope !== 'run' || (rule.run !== undefined && rule.run === run?.id)) &&
	(rule.args === undefined || rule.args.hash === argsHash(args, rule.args.keys));

/** The hash of all arguments, or of the values under `keys`; `undefined` when the arguments have not all of them. */
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

/** The rule that an answer makes; `undefined` for a yes to this one call. The answer was checked by `answerProblem`. */
export function ruleOf(
	{tool, args, run}: ToolApproval,
	answer: Extract<ApprovalAnswer, {readonly choice: 'allow'}>,
	{at, by}: {readonly at: number; readonly by: string},
): NewRule | undefined {
	const {scope} = answer;
	if (scope === 'once') {
		return undefined;
	}

	const {profile, server, tool: name, endpoint, definition} = tool;
	return {
		profile,
		server,
		tool: name,
		endpoint,
		definition,
		scope,
		...(scope === 'run' && run !== undefined && {run}),
		...boundArgs(args, answer.args),
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
	// What cannot be compared can be equal to nothing: the empty text is no hash.
	return {args: {hash: hash ?? '', ...(keys && {keys})}};
}

/** The decision that a rule makes. */
export const ruledBy = ({id}: ApprovalRule, at: number): ApprovalDecision => ({
	outcome: 'allowed',
	at,
	by: `rule ${id}`,
	rule: id,
});

/** The rules that a change of a server ends: all of a server that is gone or is somewhere else now, and those for another definition than the present one. A tool that is only not listed keeps its rule. */
export const voidedRules = (
	rules: readonly ApprovalRule[],
	{profile, server, endpoint, definitions}: ServerChange,
): readonly ApprovalRule[] =>
	rules.filter(
		rule =>
			rule.profile === profile &&
			rule.server === server &&
			(definitions === undefined ||
				(endpoint !== undefined && rule.endpoint !== endpoint) ||
				(definitions.has(rule.tool) && definitions.get(rule.tool) !== rule.definition)),
	);
