import type {ApprovalRule, RuleKey, ToolApproval} from '../approval.ts';
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

/** What is wrong with the first argument that does not match the rule: `argument path is missing`. `undefined` if the texts of all arguments match. */
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
