import type {ApprovalRule, AskedTool} from '../approval.ts';
import type {Clock} from '../clock.ts';
import type {Emit} from '../events.ts';
import type {Logger} from '../log.ts';
import type {ApprovalKeeper, Approvals} from './approvals.ts';

export type ApprovalsDependencies = {
	readonly clock: Clock;
	readonly emit: Emit;
	readonly log: Logger;
	readonly keeper: ApprovalKeeper;
	/** The rules that are kept. */
	readonly rules: readonly ApprovalRule[];
	/** A person allowed a call of a tool as it is defined now. Must not throw. */
	readonly onAllowed?: (tool: AskedTool) => void;
};

/** The queue of everything that needs a person's yes. @see Approvals */
export function createApprovals(_dependencies: ApprovalsDependencies): Approvals {
	throw new Error('not written yet');
}
