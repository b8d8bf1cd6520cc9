import type {
	Approval,
	ApprovalAnswer,
	ApprovalScope,
	FormApproval,
	ToolApproval,
} from '../../core/approval.ts';
import {searchEvent} from '../../core/approvals/from-event.ts';
import {freeText, linesByHand} from '../../core/approvals/rule-keys.ts';
import {SvcError} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import {toolFrom, whereWords} from '../../core/tool.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {reachText} from '../../nouns/approval/approval-words.ts';
import {cautions} from '../../nouns/approval/request.ts';
import {isYes} from '../console/ask-line.ts';
import {askWhole, canAskWhole} from '../console/ask-whole.ts';
import type {Context} from '../console/context.ts';
import {tell, printResult, tellEach} from '../console/print.ts';
import {requireGateway} from '../home/gateway-access.ts';
import {approvalJson} from './approval-json.ts';
import {cannotAnswer, refuseDecided, refuseSettled, requestLines} from './waiting.ts';

type Allowing = {
	readonly scope: ApprovalScope;
	readonly args?: 'any' | 'exact' | readonly string[] | undefined;
	/** The argument values that a lasting rule requires instead. */
	readonly when?: JsonObject | undefined;
	/** The tool's name as typed on the command line. */
	readonly typedName?: string | undefined;
	/** Allows without a question if there is no terminal. */
	readonly yes?: boolean;
	readonly json?: boolean;
};

/**
 * `svc approvals allow`. On a terminal, shows the whole request, and asks for a yes or the tool's name, whatever the flags; without one, the command itself counts
 * as consent. Returns whether it was allowed; if not, says so.
 * @throws SvcError `approval_not_found`, `approval_settled`, `approval_invalid`
 */
export async function allow(
	context: Context,
	id: number,
	{scope, args, when, typedName: given, yes, json}: Allowing,
): Promise<boolean> {
	const gateway = await requireGateway(context);
	const approval = await gateway.getApproval(id);
	if (approval?.kind !== 'tool' || approval.decision) {
		// An answer that is impossible is refused before the person is asked.
		throw cannotAnswer(id, approval);
	}

	if (scope === 'always') {
		sayByHand(context, approval, when);
	}

	if (!approval.scopes.includes(scope)) {
		throw new SvcError(
			'approval_invalid',
			`Cannot answer approval ${id} like that: it takes --for ${approval.scopes.join(', ')}`,
		);
	}

	const isBound = scope === 'always' && approval.lasting?.isBound === true;
	const mayAsk = canAskWhole(context);
	const rule = ruleLines(approval, {scope, args, when});
	const typedName = mayAsk
		? await readAndAsk(context, approval, {isBound, gateway, rule})
		: (given ?? nameWithoutAsking(approval, isBound));
	if (typedName === undefined) {
		await refuseSettled(context, gateway, id);
		return false;
	}

	if (yes && mayAsk) {
		tell(context, '--yes counts where nobody can be asked; on a terminal a request is read first');
	}

	const settled = await settle(gateway, id, {
		choice: 'allow',
		scope,
		...(args !== undefined && {args}),
		...(when !== undefined && {when}),
		typedName,
	});
	const once = settled.decision?.scope === 'once' ? ' for this one call' : '';
	reportSettled(context, settled, {json, line: `Allowed ${subjectOf(settled)}${once}`});
	if (settled.decision?.scope !== scope && scope !== 'once') {
		tell(context, 'Only this call is allowed: the rule could not be kept (see the log)');
	} else {
		await sayRule(context, gateway, settled);
	}

	return true;
}

/** `svc approvals deny`. Throws the same errors. */
export async function deny(
	context: Context,
	id: number,
	{reason, json}: {readonly reason?: string; readonly json?: boolean} = {},
): Promise<void> {
	const gateway = await requireGateway(context);
	const settled = await settle(gateway, id, {
		choice: 'deny',
		...(reason !== undefined && {reason}),
	});
	reportSettled(context, settled, {json, line: `Denied ${subjectOf(settled)}`});
}

/** Without a terminal, the command itself counts as consent, except to a lasting rule for a destructive tool. @throws SvcError `approval_invalid` */
function nameWithoutAsking({id, tool}: ToolApproval, isBound: boolean): string {
	if (isBound) {
		throw new SvcError(
			'approval_invalid',
			`Cannot answer approval ${id} like that: the tool may destroy, so that a rule that lasts needs its name, --tool`,
		);
	}

	return tool.tool;
}

type Asking = {
	/** Whether the answer makes a lasting rule for a destructive tool. */
	readonly isBound: boolean;
	/** Describes what the rule made by the answer covers. */
	readonly rule: readonly string[];
	readonly gateway: Pick<GatewayCommands, 'getApproval' | 'getDelivery'>;
};

/** The name to answer with, once the person has read the whole request and agreed; `undefined` if they declined, which is reported. */
async function readAndAsk(
	context: Context,
	approval: ToolApproval,
	{isBound, rule, gateway}: Asking,
): Promise<string | undefined> {
	const {id, tool} = approval;
	const mustTypeName = approval.mustTypeName || isBound;
	const fromEvent = await searchEvent(approval, async delivery => gateway.getDelivery(delivery));
	const subject = subjectOf({kind: 'tool', tool});
	const {agreed, text, interrupted} = await askWhole(context, {
		lines: [...requestLines(approval, {now: context.clock.now(), fromEvent}), ...rule],
		question: mustTypeName
			? `${subject}: ${cautions(approval)[0] ?? 'it does not say that it destroys nothing'}.\nType its name to allow it: `
			: `Allow ${subject}? [y/N] `,
		isYes: mustTypeName ? typed => typed === tool.tool : isYes,
	});
	if (agreed) {
		return tool.tool;
	}

	if (context.signal?.aborted === true) {
		return undefined;
	}

	await refuseDecided(gateway, id);
	const isOtherName = mustTypeName && text !== '';
	tell(
		context,
		`Not allowed${isOtherName ? ': that is not its name' : ''}; approval ${id} waits on`,
	);
	context.exit(interrupted ? 130 : 1);
	return undefined;
}

/** Describes what the rule made by the answer covers; empty if the answer allows only one call. */
function ruleLines(
	approval: ToolApproval,
	{scope, args = 'any', when}: Pick<Allowing, 'args' | 'scope' | 'when'>,
): readonly string[] {
	if (scope === 'once') {
		return [];
	}

	const reach: string = {
		run: 'until its run ends',
		process: 'until svc stops',
		always: 'for 30 days',
	}[scope];
	const covers = when
		? `${JSON.stringify(when)}; ${freeText(approval, Object.keys(when))}`
		: args === 'any'
			? 'any arguments'
			: args === 'exact'
				? 'exactly these arguments'
				: `the same ${args.join(', ')}, and anything else`;
	return ['', escapeLine(`The rule that is made allows ${reach}: ${covers}`, Infinity)];
}

/**
 * Prints the lines of a rule that no face may make.
 * @throws SvcError `approval_invalid` after that
 */
function sayByHand(context: Context, approval: ToolApproval, when: JsonObject | undefined): void {
	const lines = approval.scopes.includes('always') ? undefined : linesByHand(approval, when);
	if (!lines) {
		return;
	}

	const intro = 'A rule for what events start is written by hand, into config.yaml:';
	tellEach(context, [intro, '', ...lines, '']);

	throw new SvcError(
		'approval_invalid',
		`Cannot answer approval ${approval.id} like that: an event of route "${escapeLine(approval.route ?? '')}" started its run, so that "always" can only be written by hand; it waits on`,
	);
}

/** Sends an answer. @throws SvcError `approval_not_found`, `approval_settled`, `approval_invalid` */
export async function settle(
	gateway: GatewayCommands,
	id: number,
	answer: ApprovalAnswer,
): Promise<Approval> {
	const {settled, approval} = await gateway.settleApproval(id, {answer, by: 'cli'});
	if (settled) {
		return approval;
	}

	throw cannotAnswer(id, approval);
}

const subjectOf = (
	approval: Pick<ToolApproval, 'kind' | 'tool'> | Pick<FormApproval, 'kind' | 'server'>,
): string =>
	escapeLine(
		approval.kind === 'tool'
			? `${JSON.stringify(approval.tool.tool)} ${whereWords(toolFrom(approval.tool))}`
			: `the form of ${approval.server}`,
	);

/** Reports how a request was settled: the request as JSON, or `line`. */
export function reportSettled(
	context: Context,
	approval: Approval,
	{json, line}: {readonly json: boolean | undefined; readonly line: string},
): void {
	printResult(context, {json, value: approvalJson(approval), lines: [line]});
}

async function sayRule(
	context: Context,
	gateway: GatewayCommands,
	{decision}: Approval,
): Promise<void> {
	const made = decision?.rule;
	const rules = made === undefined ? [] : await gateway.listApprovalRules();
	const rule = rules.find(({id}) => id === made);
	if (rule) {
		tell(
			context,
			`Rule ${rule.id} allows it: ${reachText(rule)} ("svc approvals revoke ${rule.id}" ends it)`,
		);
	}
}
