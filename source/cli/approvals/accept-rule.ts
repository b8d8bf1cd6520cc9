import type {ApprovalRule} from '../../core/approval.ts';
import {SvcError} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {canAsk, confirm} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printResult, tellEach} from '../console/print.ts';
import {requireGateway} from '../home/gateway-access.ts';

/**
 * `svc approvals accept`. On a terminal, shows both definitions and asks for confirmation; without one, the command itself counts as consent.
 * @throws SvcError `approval_rule_not_found`, `approval_invalid`
 */
export async function acceptRule(
	context: Context,
	id: number,
	{yes = false, json}: {readonly yes?: boolean; readonly json?: boolean},
): Promise<void> {
	const gateway = await requireGateway(context);
	const rule = (await gateway.listApprovalRules()).find(one => one.id === id);
	if (!rule) {
		throw notFound(id);
	}

	if (rule.present === undefined) {
		throw new SvcError(
			'approval_invalid',
			`Cannot accept the definition of rule ${id}: ${rule.problem ?? (rule.file ? 'its tool has that one already' : 'it does not stand in config.yaml')}`,
		);
	}

	if (!yes && canAsk(context)) {
		showBoth(context, rule);
		const question = 'Let the rule allow it as it is now?';
		const leaves = `Rule ${id} stays as it was: it allows nothing of its tool as it is now`;
		if (!(await confirm(context, {question, leaves}))) {
			return;
		}
	}

	const accepted = await gateway.acceptApprovalRule(id, {definition: rule.present});
	if (!accepted) {
		throw notFound(id);
	}

	const lines = [`Rule ${id} is for sha256:${accepted.definition} now`];
	printResult(context, {json, value: accepted, lines});
}

function showBoth(context: Context, {file, problem, ...rule}: ApprovalRule): void {
	const lines = [
		`${file?.name ?? rule.tool}, ${file?.place ?? ''}: ${problem ?? ''}`,
		`definition  sha256:${rule.definition || '(none yet)'}`,
		`now         sha256:${rule.present ?? ''}`,
		'What its server says of it: pane Tools of svc',
	];
	tellEach(
		context,
		lines.map(line => escapeLine(line)),
	);
}

const notFound = (id: number): SvcError =>
	new SvcError(
		'approval_rule_not_found',
		`Cannot accept the definition of rule ${id}: there is none, see "svc approvals rules"`,
	);
