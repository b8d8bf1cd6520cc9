import type {Approval, ApprovalRule} from '../core/approval.ts';
import type {ApprovalCommands} from './approval-commands.ts';
import {callControl} from './control-client.ts';
import type {Settled} from './port.ts';

/** The commands for approvals of the gateway that listens on `socket`. */
export const createApprovalCalls = (socket: string): ApprovalCommands => ({
	listApprovals: ({state, limit}) =>
		callControl<readonly Approval[]>(socket, `/v1/approvals?state=${state}&limit=${limit}`),
	getApproval: id => callControl<Approval | undefined>(socket, `/v1/approvals/${id}`),
	settleApproval: (id, answer, by) =>
		callControl<Settled>(socket, `/v1/approvals/${id}/settle`, {
			method: 'POST',
			body: {answer: {...answer}, by},
		}),
	extendApproval: id =>
		callControl<Approval | undefined>(socket, `/v1/approvals/${id}/extend`, {method: 'POST'}),
	listApprovalRules: () => callControl<readonly ApprovalRule[]>(socket, '/v1/approval-rules'),
	revokeApprovalRule: id =>
		callControl<boolean>(socket, `/v1/approval-rules/${id}/revoke`, {method: 'POST'}),
});
