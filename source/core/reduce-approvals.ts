import type {Approval} from './approval.ts';
import type {GatewayEvent} from './events.ts';
import {limits, type GatewayState} from './state.ts';

type Slices = Pick<GatewayState, 'approvals' | 'settledApprovals' | 'approvalRules'>;

/**
 * What waits for a person, what was settled and which rules hold after `events`. Pure; a slice that no event touched stays the same object. Events of one
 * request may come in any order: what was settled waits no more.
 */
export function approvalsAfter(
	{approvals, settledApprovals, approvalRules}: Slices,
	events: readonly GatewayEvent[],
): Slices {
	const slices = {approvals, settledApprovals, approvalRules};
	return events.reduce(oneAfter, slices);
}

function oneAfter(slices: Slices, event: GatewayEvent): Slices {
	const {approvals, settledApprovals} = slices;
	switch (event.type) {
		case 'history-restored':
			return {...slices, settledApprovals: event.approvals.slice(-limits.settledApprovals)};

		case 'approval-requested': {
			const {approval} = event;
			return isKnown(approval, approvals) || isKnown(approval, settledApprovals)
				? slices
				: {...slices, approvals: [...approvals, approval].slice(-limits.waitingApprovals)};
		}

		case 'approval-extended': {
			const {approval} = event;
			return isKnown(approval, approvals)
				? {...slices, approvals: approvals.map(one => (one.id === approval.id ? approval : one))}
				: slices;
		}

		case 'approval-settled': {
			const {approval} = event;
			const settled = settledApprovals.filter(({id}) => id !== approval.id);
			return {
				...slices,
				approvals: isKnown(approval, approvals)
					? approvals.filter(({id}) => id !== approval.id)
					: approvals,
				settledApprovals: [...settled, approval].slice(-limits.settledApprovals),
			};
		}

		case 'approval-rules-changed':
			return {...slices, approvalRules: event.rules};

		default:
			return slices;
	}
}

const isKnown = ({id}: Approval, approvals: readonly Approval[]): boolean =>
	approvals.some(one => one.id === id);
