import type {Approval} from '../../core/approval.ts';
import {SvcError} from '../../core/errors.ts';
import type {GatewayCommands, GatewayPort} from '../../gateway/port.ts';
import {requestNoun, type RequestMore} from '../../nouns/approval/request.ts';
import type {AsOf} from '../../nouns/noun.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {linesOf} from '../nouns/noun-commands.ts';

/** A request in lines: everything that a person needs to decide. None of its texts begins a line of its own, and nothing is cut. */
export const requestLines = (approval: Approval, known: AsOf & RequestMore): readonly string[] =>
	linesOf(requestNoun, approval, known);

/**
 * The context with questions that close once request `id` is settled elsewhere, or `over` aborts. Dispose of it when nothing is asked any more.
 */
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

/** After a question that was closed unanswered. @throws SvcError `approval_settled` when the request is settled */
export async function refuseSettled(
	{signal}: Pick<Context, 'signal'>,
	gateway: Pick<GatewayCommands, 'getApproval'>,
	id: number,
): Promise<void> {
	if (signal?.aborted === true) {
		await refuseDecided(gateway, id);
	}
}

/** After a question that took its time. @throws SvcError `approval_settled` when the request is settled meanwhile */
export async function refuseDecided(
	gateway: Pick<GatewayCommands, 'getApproval'>,
	id: number,
): Promise<void> {
	// Where the gateway is gone, too, the question is over.
	const approval = await gateway.getApproval(id).catch(() => undefined);
	if (approval?.decision) {
		throw cannotAnswer(id, approval);
	}
}

/** Why a request cannot be answered so: there is none, it is settled, or it is a form. */
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
