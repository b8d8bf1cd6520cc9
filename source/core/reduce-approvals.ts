import type {Approval} from './approval.ts';
import type {GatewayEvent} from './events.ts';
import {limits, type GatewayState} from './state.ts';

type Slices = Pick<GatewayState, 'approvals' | 'settledApprovals' | 'approvalRules'>;

/**
 * What waits for a person, what was settled and which rules hold after `events`. Pure; a slice that no event touched stays the same object. Events of one
 * request may come in any order: what was settled waits no more.
 */
export const approvalsAfter = (
	{approvals, settledApprovals, approvalRules}: Slices,
	events: readonly GatewayEvent[],
): Slices =>
	events.reduce<Slices>(
		(slices, event) => ({
			approvals: waitingAfter(slices, event),
			settledApprovals: settledAfter(slices.settledApprovals, event),
			approvalRules: event.type === 'approval-rules-changed' ? event.rules : slices.approvalRules,
		}),
		{approvals, settledApprovals, approvalRules},
	);

function waitingAfter(
	{approvals, settledApprovals}: Slices,
	event: GatewayEvent,
): readonly Approval[] {
	if (event.type === 'approval-requested') {
		const {id} = event.approval;
		return has(approvals, id) || has(settledApprovals, id)
			? approvals
			: [...approvals, event.approval].slice(-limits.waitingApprovals);
	}

	if (event.type === 'approval-extended' && has(approvals, event.approval.id)) {
		return approvals.map(one => (one.id === event.approval.id ? event.approval : one));
	}

	return event.type === 'approval-settled' && has(approvals, event.approval.id)
		? approvals.filter(({id}) => id !== event.approval.id)
		: approvals;
}

function settledAfter(settled: readonly Approval[], event: GatewayEvent): readonly Approval[] {
	if (event.type === 'history-restored') {
		return [...event.approvals.filter(({id}) => !has(settled, id)), ...settled].slice(
			-limits.settledApprovals,
		);
	}

	return event.type === 'approval-settled'
		? [...settled.filter(({id}) => id !== event.approval.id), event.approval].slice(
				-limits.settledApprovals,
			)
		: settled;
}

const has = (approvals: readonly Approval[], id: number): boolean =>
	approvals.some(one => one.id === id);
