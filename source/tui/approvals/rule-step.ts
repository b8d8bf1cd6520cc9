import type {ApprovalAnswer, ApprovalRule, ToolApproval} from '../../core/approval.ts';
import {isWrittenAsFolder} from '../../core/approvals/below-folder.ts';
import {type WrittenKey, folderAround, pathIn} from '../../core/approvals/rule-keys.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {toolFrom, toolPlace} from '../../core/tool.ts';

/** What a rule wants of one argument: its value as it is, or a folder, with a slash at its end, that it is below of. */
export type KeyChoice = 'equal' | {readonly below: string};

/** A rule while it is put together. */
export type RuleChoice = {
	readonly args: 'any' | 'exact' | 'keys';
	/** By names of top-level arguments, for `keys`; all others may be anything. */
	readonly keys: ReadonlyMap<string, KeyChoice>;
};

/** What an answer says of the arguments that its rule covers. */
export type RuleAnswer = Pick<Extract<ApprovalAnswer, {choice: 'allow'}>, 'args' | 'when'>;

/** The arguments of a call that a rule may want something of, in their order. */
export const ruleKeys = ({args}: ToolApproval): readonly string[] =>
	isJsonObject(args) ? Object.keys(args) : [];

const valueOf = ({args}: ToolApproval, key: string) => (isJsonObject(args) ? args[key] : undefined);

/** With the next choice for one argument: a path is below its folder first, then as it is, unless it would mean a folder; the others are as they are; then anything again. */
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

/** With the folder of one argument a step wider, or a step nearer to its path; the same where that is not possible. */
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

/** The rule as it is answered; `undefined` while it says nothing of the arguments of what may destroy. */
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

/** The rule as it would be stored, to be shown. */
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
