import type {Approvals} from '../core/approvals/approvals.ts';

/** A queue that nobody looks at: everything is denied. */
export const noApprovals: Approvals = {
	request: async () => ({allowed: false, reason: 'nobody can be asked here'}),
	elicit: async () => ({action: 'cancel'}),
	settle: async () => ({settled: false}),
	extend: () => undefined,
	waiting: () => [],
	rules: () => [],
	revoke: async () => false,
	runEnded() {},
	serverChanged() {},
	async [Symbol.asyncDispose]() {},
};
