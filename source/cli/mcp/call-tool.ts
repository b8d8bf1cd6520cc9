import type {ToolApproval} from '../../core/approval.ts';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {canonicalJson, type JsonObject} from '../../core/json.ts';
import {asWord} from '../../core/shell-words.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {allow, settle} from '../approvals/answer.ts';
import {contextWhileWaiting} from '../approvals/waiting.ts';
import {canAskWhole} from '../console/ask-whole.ts';
import type {Context} from '../console/context.ts';
import {indentedRows, tell, printResult} from '../console/print.ts';
import {attachServing} from '../home/gateway-access.ts';

/** `tool`: the server's name for it, or the models'. */
type ToolNames = {readonly server: string; readonly tool: string};

/** `yes`: allows the call if there is no terminal. */
type Calling = {readonly yes?: boolean; readonly json?: boolean};

/**
 * `svc mcp call`. The gateway calls the tool as a run would: a call that needs approval waits, and the person is asked like by `svc approvals allow`; without a
 * terminal `yes` answers. A failed call makes the command exit with 1.
 * @throws SvcError `gateway_not_running`, `server_not_found`, `tool_not_found`, `tool_denied`, `tool_timeout`, `confirmation_needed`
 */
export async function callToolByHand(
	context: Context,
	{server, tool, args}: ToolNames & {readonly args: JsonObject},
	{yes = false, json}: Calling,
): Promise<void> {
	// Checked before the call: a call that may need approval must not start where nobody can be asked.
	canAskWhole(context);
	const {port, profile, at} = await attachServing(context);
	await using _ = port;
	const name = nameOfTool(port, {server, tool, profile});
	const known = new Set(port.getState().approvals.map(({id}) => id));
	const failures: unknown[] = [];
	let answering = Promise.resolve();
	const over = new AbortController();
	const wanted = canonicalJson(args);
	const unsubscribe = port.subscribe(events => {
		for (const event of events) {
			if (event.type !== 'approval-requested' || event.approval.kind !== 'tool') {
				continue;
			}

			const {approval} = event;
			const isOurs =
				approval.run === undefined &&
				approval.tool.name === name &&
				canonicalJson(approval.args) === wanted &&
				!known.has(approval.id);
			if (isOurs) {
				known.add(approval.id);
				answering = answering
					.then(async () => answerCall(at, port, {approval, yes, over: over.signal}))
					.catch((error: unknown) => {
						failures.push(error);
					});
			}
		}
	});
	try {
		const result = await port.tryTool(name, {arguments: args, by: 'cli', profile});
		const lines = context.stdout.isTTY ? indentedRows(result.text) : [result.text];
		printResult(context, {json, value: result, lines});

		if (result.isError === true) {
			context.exit(1);
		}
	} catch (error) {
		over.abort();
		await answering;
		throw failures[0] ?? error;
	} finally {
		unsubscribe();
		over.abort();
		await answering;
	}
}

function nameOfTool(
	port: GatewayPort,
	{server, tool, profile}: ToolNames & {readonly profile: string},
): string {
	const found = port.getState().servers.find(one => one.name === server && one.profile === profile);
	if (!found) {
		throw new SvcError(
			'server_not_found',
			`Cannot find tool server "${escapeLine(server, 100)}": see "svc mcp list"`,
		);
	}

	const one = found.tools.find(each => each.tool === tool || each.name === tool);
	if (!one) {
		throw new SvcError(
			'tool_not_found',
			`Cannot find tool "${escapeLine(tool, 100)}" of tool server "${server}": see "svc mcp status ${asWord(server)}"`,
		);
	}

	return one.name;
}

/**
 * Asks the person to approve the waiting call. A "no" denies it, so that it does not wait any longer. The question is withdrawn when the call is `over`, or is
 * answered elsewhere.
 */
async function answerCall(
	context: Context,
	port: GatewayPort,
	{
		approval,
		yes,
		over,
	}: {readonly approval: ToolApproval; readonly yes: boolean; readonly over: AbortSignal},
): Promise<void> {
	const {id, tool} = approval;
	const mayAsk = canAskWhole(context);
	let isSettled = false;
	try {
		if (mayAsk) {
			using waiting = contextWhileWaiting(context, port, {id, over});
			const asking = {...waiting.asking, stdout: context.stderr};
			isSettled = await allow(asking, id, {scope: 'once'});
		} else if (yes) {
			await settle(port, id, {choice: 'allow', scope: 'once', typedName: tool.tool});
			isSettled = true;
		}
	} catch (error) {
		if (codeOf(error) !== 'approval_settled') {
			throw error;
		}

		tell(context, messageOf(error));
		return;
	}

	if (!isSettled && !(mayAsk && over.aborted)) {
		await settle(port, id, {choice: 'deny'});
		if (!mayAsk) {
			throw new SvcError(
				'confirmation_needed',
				`Not called: tool "${escapeLine(tool.tool, 100)}" needs a yes, and nobody can be asked; add --yes to call it`,
			);
		}
	}
}
