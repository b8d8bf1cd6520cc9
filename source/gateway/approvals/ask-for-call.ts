import type {Approvals, CallToApprove} from '../../approvals/approvals.ts';
import type {Config} from '../../config/config.ts';
import {toolPlace, type Tool, type Verdict} from '../../core/tool.ts';

/** Where a tool has no server with a time of its own. */
const usualTimeoutMs = 300_000;

/** Asks `approvals` about a call of `tool`. What does not say for what it needs a yes is denied. Never rejects. */
export async function askForCall(
	{asked}: Pick<Tool, 'asked'>,
	call: Omit<CallToApprove, 'tool' | 'toolTimeoutMs'>,
	{
		approvals,
		toolServers,
	}: {readonly approvals: Pick<Approvals, 'request'>} & Pick<Config, 'toolServers'>,
): Promise<Verdict> {
	return asked
		? approvals.request({
				...call,
				tool: asked,
				toolTimeoutMs:
					toolServers.get(toolPlace(asked.from).server ?? '')?.timeoutMs ?? usualTimeoutMs,
			})
		: {allowed: false, reason: 'it needs an approval, and does not say for what'};
}
