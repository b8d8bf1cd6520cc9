import type {ApprovalAnswer, ApprovalRule, ToolApproval} from '../../core/approval.ts';
import {isWrittenAsFolder} from '../../core/approvals/below-folder.ts';
import {type WrittenKey, folderAround, pathIn} from '../../core/approvals/rule-keys.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {toolFrom, toolPlace} from '../../core/tool.ts';

/** What a rule requires of one argument: this exact value, or a path below a folder (which ends with a slash). */
export type KeyChoice = 'equal' | {readonly below: string};

/** A rule being built. */
export type RuleChoice = {
	readonly args: 'any' | 'exact' | 'keys';
	/** Requirements by top-level argument, if `args` is `keys`; other arguments may have any value. */
	readonly keys: ReadonlyMap<string, KeyChoice>;
};

/** The part of an answer that says which arguments the rule covers. */
export type RuleAnswer = Pick<Extract<ApprovalAnswer, {choice: 'allow'}>, 'args' | 'when'>;

/** The arguments of a call that a rule can restrict, in order. */
export const ruleKeys = ({args}: ToolApproval): readonly string[] =>
	isJsonObject(args) ? Object.keys(args) : [];

const valueOf = ({args}: ToolApproval, key: string) => (isJsonObject(args) ? args[key] : undefined);

/** Cycles the requirement for one argument. Paths: below their folder, equal (unless the value is written as a folder), any. Other values: equal, any. */
export function withNextChoice(
	approval: ToolApproval,
	{keys}: RuleChoice,
	key: string,
): RuleChoice {
	const next = new Map(keys);
	const now = keys.get(key);
	const path = approval.lasting && pathIn(valueOf(approval, key));
	const folder = path === undefined ? undefined : folderAround(path);
	const value = valueOf(approval, key);
	const canEqual = !approval.lasting || typeof value !== 'string' || !isWrittenAsFolder(value);
	if (now === undefined && folder !== undefined) {
		next.set(key, {below: folder});
	} else if (now !== 'equal' && canEqual) {
		next.set(key, 'equal');
	} else {
		next.delete(key);
	}

	return {args: 'keys', keys: next};
}

/** Moves the folder of one argument one level up, or one level down towards its path; unchanged at either end. */
export function withOtherFolder(
	approval: ToolApproval,
	choice: RuleChoice,
	{key, isWider}: {readonly key: string; readonly isWider: boolean},
): RuleChoice {
	const now = choice.keys.get(key);
	const around = folderAround(pathIn(valueOf(approval, key)) ?? '');
	if (now === undefined || now === 'equal' || around === undefined) {
		return choice;
	}

	const next = isWider
		? folderAround(now.below.replace(/\/$/, ''))
		: around.slice(0, around.indexOf('/', now.below.length) + 1);
	return next === undefined || next === ''
		? choice
		: {...choice, keys: new Map([...choice.keys, [key, {below: next}]])};
}

/** The rule as part of the answer; `undefined` while it restricts no argument of a destructive call. */
export function answerOfRule(
	approval: ToolApproval,
	{args, keys}: RuleChoice,
): RuleAnswer | undefined {
	if (args !== 'keys' || keys.size === 0) {
		return args === 'exact' ? {args} : approval.lasting?.isBound ? undefined : {args: 'any'};
	}

	return approval.lasting ? {when: whenOf(approval, keys)} : {args: [...keys.keys()]};
}

const whenOf = (approval: ToolApproval, keys: RuleChoice['keys']): JsonObject =>
	Object.fromEntries(
		[...keys].map(([key, choice]) => [
			key,
			choice === 'equal' ? (valueOf(approval, key) ?? null) : choice.below,
		]),
	);

const ruleLifeMs = 30 * 86_400_000;

/** The rule as it would be stored, for display. */
export function ruleToShow(
	{tool, profile, lasting, args}: ToolApproval,
	answer: RuleAnswer,
	now: number,
): ApprovalRule {
	return {
		id: 0,
		profile,
		...toolPlace(toolFrom(tool)),
		tool: tool.tool,
		definition: tool.definition,
		scope: 'always',
		...(answer.args !== undefined &&
			answer.args !== 'any' && {
				args: {hash: '', ...(answer.args === 'exact' ? {shown: args} : {keys: [...answer.args]})},
			}),
		...(answer.when && {when: Object.entries(answer.when).map(keyOf)}),
		...(lasting && {owner: lasting.owner}),
		createdAt: now,
		createdBy: '',
		expiresAt: now + ruleLifeMs,
		uses: 0,
	};
}

const keyOf = ([key, value]: [string, JsonObject[string]]): WrittenKey =>
	typeof value === 'string' && isWrittenAsFolder(value)
		? {key, below: value.slice(0, -1)}
		: {key, equals: value};
