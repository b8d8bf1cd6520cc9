import {faceName} from '../approvals/face-name.ts';
import type {approvals as table} from '../contract/approvals.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for approvals of a gateway in this process. */
export const createApprovalCommands = (
	rooms: () => Promise<Pick<Rooms, 'approvals' | 'store'>>,
): CommandsOf<typeof table> => ({
	async listApprovals({state, limit}) {
		const {approvals, store} = await rooms();
		return state === 'waiting'
			? approvals.waiting().slice(0, limit)
			: store.approvals.settled(limit);
	},
	async getApproval(id) {
		const {approvals, store} = await rooms();
		// The journal has it as it was asked: without larger arguments and without the time that was added.
		return approvals.waiting().find(one => one.id === id) ?? store.approvals.get(id);
	},
	settleApproval: async (id, {answer, by}) =>
		(await rooms()).approvals.settle(id, answer, faceName(by)),
	extendApproval: async id => (await rooms()).approvals.extend(id),
	listApprovalRules: async () => (await rooms()).approvals.rules(),
	acceptApprovalRule: async (id, {definition}) =>
		(await rooms()).approvals.acceptRule(id, definition),
	revokeApprovalRule: async id => (await rooms()).approvals.revoke(id),
});
