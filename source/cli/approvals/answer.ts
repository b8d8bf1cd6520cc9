import type {
	Approval,
	ApprovalAnswer,
	ApprovalScope,
	FormApproval,
	ToolApproval,
} from '../../core/approval.ts';
import {freeText} from '../../core/approvals/rule-keys.ts';
import {linesByHand} from '../../core/approvals/rule-lines.ts';
import {searchEvent} from '../../core/approvals/search-event.ts';
import {toolFrom, whereWords} from '../../core/asked-tool.ts';
import {SvcError} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import {cell} from '../../core/untrusted.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {printableTime} from '../../terminal/text/time.ts';
import {askLine, canAsk} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell, tellWhole} from '../console/print.ts';
import {requireGateway} from '../home/gateway-access.ts';
import {approvalJson} from './approval-json.ts';
import {cautionOf, describeApproval} from './describe-approval.ts';
import {reachOf} from './describe-rules.ts';

type Allowing = {
	readonly id: number;
	readonly scope: ApprovalScope;
	readonly args?: 'any' | 'exact' | readonly string[];
	/** What a lasting rule compares instead. */
	readonly when?: JsonObject;
	/** The tool's name, as it was typed on the command line. */
	readonly typedName?: string;
	/** Do not ask for the name. */
	readonly yes: boolean;
	readonly json: boolean;
};

/**
 * `svc approvals allow`. On a terminal the request is shown whole and a yes, or the name of a tool that needs it, is asked for; without one, the command line is the deliberate act.
 * @throws SvcError `approval_not_found`, `approval_settled`, `approval_invalid`
 */
export async function allow(
	context: Context,
	{id, scope, args, when, typedName: given, yes, json}: Allowing,
): Promise<void> {
	const gateway = await requireGateway(context);
	const approval = await gateway.getApproval(id);
	const isCall = approval?.kind === 'tool' && !approval.decision;
	if (isCall && scope === 'always') {
		sayByHand(context, approval, when);
	}

	const isBound = isCall && scope === 'always' && approval.lasting?.isBound === true;
	const typedName =
		given ?? (isCall && (await nameFor(context, approval, {yes, isBound, when, gateway})));
	if (typedName === undefined) {
		return;
	}

	const settled = await settle(gateway, id, {
		choice: 'allow',
		scope,
		...(args !== undefined && {args}),
		...(when !== undefined && {when}),
		...(typedName !== false && {typedName}),
	});
	report(context, settled, {json, line: allowedLine(settled)});
	if (settled.decision?.scope !== scope && scope !== 'once') {
		tell(context, 'Only this call is allowed: the rule could not be kept (see the log)');
	} else {
		await sayRule(context, gateway, settled);
	}
}

/** `svc approvals deny`. Same errors. */
export async function deny(
	context: Context,
	{id, reason, json}: {readonly id: number; readonly reason?: string; readonly json: boolean},
): Promise<void> {
	const gateway = await requireGateway(context);
	const settled = await settle(gateway, id, {
		choice: 'deny',
		...(reason !== undefined && {reason}),
	});
	report(context, settled, {json, line: `Denied ${subjectOf(settled)}`});
}

/**
 * The name to answer with; `undefined` when the person did not agree, which is said. On a terminal the whole request is printed first: nobody allows there what was not
 * shown.
 */
async function nameFor(
	context: Context,
	approval: ToolApproval,
	{
		yes,
		isBound,
		when,
		gateway,
	}: {
		readonly yes: boolean;
		/** It makes a rule that lasts for a tool that may destroy. */
		readonly isBound: boolean;
		readonly when: JsonObject | undefined;
		readonly gateway: Pick<GatewayCommands, 'getDelivery'>;
	},
): Promise<string | undefined> {
	const {tool} = approval;
	const mustTypeName = approval.mustTypeName || isBound;
	if (yes || !canAsk(context)) {
		if (isBound) {
			throw new SvcError(
				'approval_invalid',
				`Cannot answer approval ${approval.id} like that: the tool may destroy, so that a rule that lasts needs its name, --tool`,
			);
		}

		return tool.tool;
	}

	const fromEvent = await searchEvent(approval, async id => gateway.getDelivery(id));
	tellWhole(context, describeApproval(approval, {now: context.clock.now(), fromEvent}));
	if (when) {
		tell(
			context,
			cell(
				`The rule: ${JSON.stringify(when)}; ${freeText(approval, Object.keys(when))}`,
				maxRuleLength,
			).text,
		);
	}

	const subject = subjectOf({kind: 'tool', tool});
	const {text, interrupted} = await askLine(
		context,
		mustTypeName
			? `${subject}: ${approval.mustTypeName ? cautionOf(tool) : 'it does not say that it destroys nothing'}.\nType its name to allow it: `
			: `Allow ${subject}? [y/N] `,
	);
	if (mustTypeName ? text === tool.tool : /^y(?:es)?$/i.test(text)) {
		return tool.tool;
	}

	tell(context, `Not allowed${mustTypeName ? ': that is not its name' : ''}; it waits on`);
	context.exit(interrupted ? 130 : 1);
	return undefined;
}

const maxRuleLength = 4000;

/**
 * Says which lines make the rule that no face may make.
 * @throws SvcError `approval_invalid` after that
 */
function sayByHand(context: Context, approval: ToolApproval, when: JsonObject | undefined): void {
	const lines = approval.scopes.includes('always') ? undefined : linesByHand(approval, when);
	if (!lines) {
		return;
	}

	for (const line of [
		'A rule for what events start is written by hand, into config.yaml:',
		'',
		...lines,
		'',
	]) {
		tell(context, line);
	}

	throw new SvcError(
		'approval_invalid',
		`Cannot answer approval ${approval.id} like that: an event of route "${cell(approval.route ?? '').text}" started its run, so that "always" can only be written by hand; it waits on`,
	);
}

async function settle(
	gateway: GatewayCommands,
	id: number,
	answer: ApprovalAnswer,
): Promise<Approval> {
	const {settled, approval} = await gateway.settleApproval(id, {answer, by: 'cli'});
	if (settled) {
		return approval;
	}

	if (!approval) {
		throw new SvcError(
			'approval_not_found',
			`Cannot answer approval ${id}: there is none, see "svc approvals list"`,
		);
	}

	const {decision} = approval;
	throw new SvcError(
		'approval_settled',
		`Cannot answer approval ${id}: it is settled already${decision ? `, ${decision.outcome} by ${decision.by} at ${printableTime(decision.at)}` : ''}`,
	);
}

const subjectOf = (
	approval: Pick<ToolApproval, 'kind' | 'tool'> | Pick<FormApproval, 'kind' | 'server'>,
): string =>
	cell(
		approval.kind === 'tool'
			? `${JSON.stringify(approval.tool.tool)} ${whereWords(toolFrom(approval.tool))}`
			: `the form of ${approval.server}`,
	).text;

const allowedLine = (approval: Approval): string =>
	`Allowed ${subjectOf(approval)}${approval.decision?.scope === 'once' ? ' for this one call' : ''}`;

function report(
	context: Context,
	approval: Approval,
	{json, line}: {readonly json: boolean; readonly line: string},
): void {
	if (json) {
		printJson(context, approvalJson(approval));
	} else {
		printLines(context, [line]);
	}
}

async function sayRule(
	context: Context,
	gateway: GatewayCommands,
	{decision}: Approval,
): Promise<void> {
	const made = decision?.rule;
	const rule =
		made === undefined
			? undefined
			: (await gateway.listApprovalRules()).find(({id}) => id === made);
	if (rule) {
		tell(
			context,
			`Rule ${rule.id} allows it ${reachOf(rule)} ("svc approvals revoke ${rule.id}" ends it)`,
		);
	}
}
