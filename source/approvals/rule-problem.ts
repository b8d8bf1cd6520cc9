import type {ApprovalRule} from '../core/approval.ts';
import {namedArguments, unnamedKey} from '../core/approvals/rule-keys.ts';
import {type AskedTool, isSamePlace, toolPlace} from '../core/tool.ts';
import {isTooWide} from './rules.ts';

/**
 * Why the rule of a file allows nothing now; `undefined`: it does. `tool`: what has its tool's name now, as far as that was seen. `closed`: folders that no
 * rule reaches into, absolute.
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
