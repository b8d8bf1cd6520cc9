import type {FormApproval} from '../../core/approval.ts';
import {contentProblem} from '../../core/approvals/content-problem.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonObject, parsedJson} from '../../core/json.ts';
import {quotedName} from '../../core/names.ts';
import type {ErrorCode} from '../../manual/error-codes.ts';
import type {FormState} from '../../tui/forms/form.ts';
import {isYes} from '../console/ask-line.ts';
import {askWhole, canAskWhole} from '../console/ask-whole.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {askForm, saidOf} from '../forms/ask-form.ts';
import {requireGateway} from '../home/gateway-access.ts';
import {reportSettled, settle} from './answer.ts';
import {refuseSettled, requestLines} from './waiting.ts';

/**
 * `svc approvals fill`. On a terminal, asks for the fields one by one, starting with `values`, and shows everything before it is confirmed. Without a terminal,
 * sends `values`.
 * @throws SvcError `approval_not_found`, `approval_settled`, `approval_invalid`
 */
export async function fillForm(
	context: Context,
	id: number,
	{values, json}: {readonly values?: string; readonly json?: boolean} = {},
): Promise<void> {
	const gateway = await requireGateway(context);
	const approval = await gateway.getApproval(id);
	if (!approval) {
		throw refusal(id, 'there is none, see "svc approvals list"', 'approval_not_found');
	}

	if (approval.kind === 'tool') {
		throw refusal(id, `it is a call, see "svc approvals show ${id}"`);
	}

	const given = values === undefined ? undefined : valuesOf(approval, values);
	const answer = approval.decision
		? // Says how it was settled.
			({choice: 'deny'} as const)
		: canAskWhole(context)
			? await askAll(context, approval, given)
			: given && ({choice: 'submit', content: given} as const);
	if (!answer) {
		if (!canAskWhole(context)) {
			throw refusal(id, 'there is no terminal to ask on; give the fields as --values JSON');
		}

		await refuseSettled(context, gateway, id);
		return;
	}

	const done = answer.choice === 'submit' ? 'Sent' : 'Declined';
	const line = `${done} the form of ${approval.server}`;
	reportSettled(context, await settle(gateway, id, answer), {json, line});
}

const refusal = (id: number, why: string, code: ErrorCode = 'approval_invalid'): SvcError =>
	new SvcError(code, `Cannot fill in approval ${id}: ${why}`);

function valuesOf({id, fields}: FormApproval, text: string): JsonObject {
	const value = parsedJson(text);
	if (!isJsonObject(value)) {
		throw refusal(id, '--values is no JSON object');
	}

	const problem = contentProblem(fields, value);
	if (problem !== undefined) {
		throw refusal(id, problem);
	}

	return value;
}

type Answer = {readonly choice: 'submit'; readonly content: JsonObject} | {readonly choice: 'deny'};

/** Asks for each field, then shows everything; `undefined` if the form keeps waiting, which is reported. */
async function askAll(
	context: Context,
	approval: FormApproval,
	given: JsonObject | undefined,
): Promise<Answer | undefined> {
	const {contentOf} = await import('../../nouns/field-kinds.ts');
	const {newForm} = await import('../../tui/forms/form.ts');
	const {id, server, host, fields} = approval;
	const begun = newForm(fields);
	let form: FormState = {...begun, values: {...begun.values, ...given}};
	let isReviewed = given !== undefined;
	const leave = (interrupted: boolean) => {
		if (context.signal?.aborted === true) {
			return;
		}

		tell(context, `Not sent; approval ${id} waits on`);
		context.exit(interrupted ? 130 : 1);
	};

	tell(context, requestLines(approval, {now: context.clock.now()}).join('\n'));
	for (;;) {
		if (!isReviewed) {
			// oxlint-disable-next-line no-await-in-loop -- until it is sent or left
			const asked = await askForm(context, form, {declines: true});
			if (asked.kind === 'declined') {
				return {choice: 'deny'};
			}

			if (asked.kind === 'left') {
				leave(asked.interrupted);
				return undefined;
			}

			({form} = asked);
		}

		isReviewed = false;
		const content = contentOf(form);
		const problem = contentProblem(fields, content);
		if (problem !== undefined) {
			tell(context, `Not sent: ${problem}`);
			continue;
		}

		// oxlint-disable-next-line no-await-in-loop -- as above
		const {agreed, text, interrupted} = await askWhole(context, {
			lines: [
				...requestLines(approval, {now: context.clock.now()}),
				'',
				`what is sent to ${server} (${host})`,
				// oxlint-disable-next-line no-await-in-loop
				...(await sentLines(form)),
			],
			question: 'Send it? y sends, b changes it, d declines, Enter leaves it waiting: ',
			isYes,
		});
		if (agreed) {
			return {choice: 'submit', content};
		}

		if (/^d(?:ecline)?$/i.test(text)) {
			return {choice: 'deny'};
		}

		if (!/^b(?:ack)?$/i.test(text)) {
			leave(interrupted);
			return undefined;
		}
	}
}

async function sentLines(form: FormState): Promise<readonly string[]> {
	const {valueText} = await import('../../tui/forms/form-lines.ts');
	return form.fields.flatMap(field => [
		`  ${quotedName(field.key)}${field.title === '' ? '' : ` (${JSON.stringify(field.title)})`}: ${valueText(field, form)}`,
		...saidOf(field).map(line => `    ${line}`),
	]);
}
