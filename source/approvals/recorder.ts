import type {Approval, ApprovalDecision} from '../core/approval.ts';
import {
	type ApprovalKeeper,
	type NewApproval,
	type NewRule,
	isDecidedBy,
	keptApproval,
} from '../core/approvals/keeper.ts';
import {messageOf} from '../core/errors.ts';
import type {World} from '../core/world.ts';
import type {RuleBook} from './rule-book.ts';

/** Stores and reports decisions, once each. */
export type Recorder = {
	/**
	 * Stores the decision on a waiting request, and its rule. If another gateway decided earlier, returns that approval. Never rejects: if the rule cannot be stored, only this
	 * call is allowed.
	 */
	settled(approval: Approval, decision: ApprovalDecision, rule?: NewRule): Promise<Approval>;
	/** Stores a request that never waited, with its decision; `undefined` when that failed. */
	atOnce(draft: NewApproval, decision: ApprovalDecision): Promise<Approval | undefined>;
};

export function createRecorder(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly keeper: ApprovalKeeper;
		readonly book: RuleBook;
		/** Receives each decision once, with its arguments. Must not throw. */
		readonly audit?: (approval: Approval) => void;
	},
): Recorder {
	const {clock, emit, log, keeper, book, audit} = world;
	const cannotWrite = 'Cannot write the decision about an approval to the journal';
	const failed = (what: string, decision: ApprovalDecision, error: unknown) => {
		log.error(what, {outcome: decision.outcome, by: decision.by, error: messageOf(error)});
	};

	/** Reports a decision to faces and log. `isRuled`: a standing rule decided. */
	const tell = (approval: Approval, isRuled: boolean) => {
		emit({type: 'approval-settled', at: clock.now(), approval});
		const {kind, id, run, decision} = approval;
		if (!decision) {
			return;
		}

		const {outcome, by, reason, scope, rule} = decision;
		const [what, server] =
			kind === 'tool'
				? [`Call of "${approval.tool.tool}"`, approval.tool.server]
				: ['Form', approval.server];
		log[isRuled ? 'info' : 'note'](
			`${what} ${outcome === 'allowed' ? 'allowed' : 'denied'} by ${by}`,
			{approval: id, server, run, reason, ...(scope !== 'once' && {scope}), rule},
		);
	};

	const withRule = async (approval: Approval, decision: ApprovalDecision, rule: NewRule) => {
		if (book.isFull) {
			log.error('Allowed once: there are too many approval rules', {approval: approval.id});
			return undefined;
		}

		try {
			const kept = await keeper.settle({...approval, decision}, rule);
			const id = kept.decision?.rule;
			if (id !== undefined && isDecidedBy(kept, decision)) {
				book.add({...rule, id, uses: 0});
			}

			return kept;
		} catch (error) {
			failed('Allowed once: the approval rule cannot be kept', decision, error);
			return undefined;
		}
	};

	const alone = async (approval: Approval, decision: ApprovalDecision) => {
		const decided = {...approval, decision};
		try {
			return await keeper.settle(decided);
		} catch (error) {
			failed(cannotWrite, decision, error);
			return decided;
		}
	};

	return {
		async settled(shown, decision, rule) {
			const approval = keptApproval(shown);
			const kept = rule && (await withRule(approval, decision, rule));
			const settled = kept ?? (await alone(approval, {...decision, ...(rule && {scope: 'once'})}));
			const isRuled = !rule && decision.rule !== undefined && isDecidedBy(settled, decision);
			if (isRuled) {
				book.used(decision.rule);
			}

			audit?.({...shown, ...(settled.decision && {decision: settled.decision})});
			tell(settled, isRuled);
			return settled;
		},
		async atOnce(draft, decision) {
			try {
				const decided = {...draft, decision};
				const id = await keeper.add(decided);
				const approval = keptApproval({...decided, id});
				if (decision.rule !== undefined) {
					book.used(decision.rule);
				}

				audit?.({...decided, id});
				tell(approval, decision.rule !== undefined);
				return approval;
			} catch (error) {
				failed(cannotWrite, decision, error);
				return undefined;
			}
		},
	};
}
