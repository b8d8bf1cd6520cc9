import type {Approval} from '../../core/approval.ts';
import {SvcError} from '../../core/errors.ts';
import type {GatewayCommands, GatewayPort} from '../../gateway/port.ts';
import {requestNoun, type RequestMore} from '../../nouns/approval/request.ts';
import type {AsOf} from '../../nouns/noun.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {linesOf} from '../nouns/noun-commands.ts';

/** A request in lines with everything needed to decide. Its texts never start a line, and nothing is cut. */
export const requestLines = (approval: Approval, known: AsOf & RequestMore): readonly string[] =>
	linesOf(requestNoun, approval, known);

/** A context whose questions close once request `id` is settled elsewhere, or `over` aborts. Dispose of it when nothing more is asked. */
export function contextWhileWaiting(
	context: Context,
	port: Pick<GatewayPort, 'getState' | 'subscribe'>,
	{id, over}: {readonly id: number; readonly over?: AbortSignal},
): Disposable & {readonly asking: Context} {
	const closing = new AbortController();
	const look = () => {
		if (port.getState().settledApprovals.some(one => one.id === id)) {
			closing.abort();
		}
	};
	const unsubscribe = port.subscribe(look);
	look();
	const signals = [closing.signal, over, context.signal].filter(signal => signal !== undefined);
	return {
		asking: {...context, signal: AbortSignal.any(signals)},
		[Symbol.dispose]: unsubscribe,
	};
}

/** Call after a question closed without an answer. @throws SvcError `approval_settled` when the request is settled */
export async function refuseSettled(
	{signal}: Pick<Context, 'signal'>,
	gateway: Pick<GatewayCommands, 'getApproval'>,
	id: number,
): Promise<void> {
	if (signal?.aborted === true) {
		await refuseDecided(gateway, id);
	}
}

/** Call after a question that took time. @throws SvcError `approval_settled` when the request is settled meanwhile */
export async function refuseDecided(
	gateway: Pick<GatewayCommands, 'getApproval'>,
	id: number,
): Promise<void> {
	// If the gateway is gone too, the question is moot.
	const approval = await gateway.getApproval(id).catch(() => undefined);
	if (approval?.decision) {
		throw cannotAnswer(id, approval);
	}
}

/** Why a request cannot be answered in this way: it does not exist, it is settled, or it is a form. */
export function cannotAnswer(id: number, approval: Approval | undefined): SvcError {
	if (!approval) {
		return new SvcError(
			'approval_not_found',
			`Cannot answer approval ${id}: there is none, see "svc approvals list"`,
		);
	}

	const {decision} = approval;
	return approval.kind === 'form' && !decision
		? new SvcError(
				'approval_invalid',
				`Cannot answer approval ${id} like that: it is a form, see "svc approvals fill ${id}"`,
			)
		: new SvcError(
				'approval_settled',
				`Cannot answer approval ${id}: it is settled already${decision ? `, ${decision.outcome} by ${decision.by} at ${printableTime(decision.at)}` : ''}`,
			);
}
