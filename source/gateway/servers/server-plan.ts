import type {ApprovalRule} from '../../core/approval.ts';
import {countOf} from '../../core/names.ts';
import type {PlannedServerChange} from '../../mcp/contract.ts';
import type {ServerReloadPlan} from '../port.ts';

/** What a reload of the tool servers of `profile` would do, for a person: what changes, and which rules would not hold any more. Pure. */
export function describeServerPlan(
	changes: readonly PlannedServerChange[],
	{profile, rules}: {readonly profile: string; readonly rules: readonly ApprovalRule[]},
): ServerReloadPlan {
	const own = rules.filter(rule => rule.profile === profile);
	return {
		changes: changes.map(change => lineOf(change, voidRules(change, own))),
		closes: changes.filter(({closes}) => closes).map(({name}) => name),
	};
}

function lineOf({name, kind, keys, tools}: PlannedServerChange, rules: number): string {
	const consequences = [
		...(tools && tools.before !== tools.after
			? [`${tools.before} → ${countOf(tools.after, 'tool')}`]
			: []),
		...(rules > 0
			? [`${countOf(rules, 'approval rule')} ${rules === 1 ? 'becomes' : 'become'} void`]
			: []),
	];
	const what = {
		added: `+ ${name}`,
		removed: `- ${name}`,
		changed: `~ ${name}: ${keys.length > 0 ? `${keys.join(', ')} changed` : 'connects again'}`,
	}[kind];
	return consequences.length > 0 ? `${what} (${consequences.join(', ')})` : what;
}

/** How many rules are for a tool that would be gone, or for a server that would be another one. */
function voidRules(
	{name, isOther, lostTools}: PlannedServerChange,
	rules: readonly ApprovalRule[],
): number {
	return rules.filter(({server, tool}) => server === name && (isOther || lostTools.includes(tool)))
		.length;
}
