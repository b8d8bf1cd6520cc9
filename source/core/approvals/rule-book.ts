import type {ApprovalRule} from '../approval.ts';
import type {Clock} from '../clock.ts';
import {messageOf} from '../errors.ts';
import type {Emit} from '../events.ts';
import type {Logger} from '../log.ts';
import type {ApprovalKeeper, ServerChange} from './approvals.ts';
import {isInForce, maxRules, ruleFor, type RuledCall, voidedRules} from './rules.ts';

/** The standing rules, in memory and in their keeper. A rule is kept before it is added here. */
export type RuleBook = {
	/** Those that hold, oldest first. */
	all(): readonly ApprovalRule[];
	find(call: RuledCall): ApprovalRule | undefined;
	readonly isFull: boolean;
	add(rule: ApprovalRule): void;
	/** Counts a use. */
	used(id: number): void;
	/** Ends the rules of a run. */
	runEnded(runId: number): void;
	/** Ends the rules that a change makes void. */
	serverChanged(change: ServerChange): void;
	/** Ends one rule at once. */
	drop(id: number): void;
	/** Ends one rule at once, and resolves when that is on disk; `false` when there is none. @throws SvcError `journal_unavailable` */
	revoke(id: number): Promise<boolean>;
};

/** A book with the rules that were kept. */
export function createRuleBook(
	{
		clock,
		emit,
		log,
		keeper,
	}: {
		readonly clock: Clock;
		readonly emit: Emit;
		readonly log: Logger;
		readonly keeper: Pick<ApprovalKeeper, 'removeRules'>;
	},
	kept: readonly ApprovalRule[],
): RuleBook {
	let rules = kept;

	const replace = (next: readonly ApprovalRule[]) => {
		rules = next;
		emit({type: 'approval-rules-changed', at: clock.now(), rules: all()});
	};

	const all = () => rules.filter(rule => isInForce(rule, clock.now()));

	/** What ended must not allow anything, whatever the disk says. */
	const end = async (ended: readonly ApprovalRule[]) => {
		const ids = new Set(ended.map(({id}) => id));
		replace(rules.filter(({id}) => !ids.has(id)));
		await keeper.removeRules([...ids]);
	};

	const endUnattended = (ended: readonly ApprovalRule[]) => {
		if (ended.length > 0) {
			end(ended).catch((error: unknown) => {
				log.error('Cannot remove approval rules from the journal', {
					rules: ended.map(({id}) => id).join(', '),
					error: messageOf(error),
				});
			});
		}
	};

	return {
		all,
		find: call => ruleFor(call, rules, clock.now()),
		get isFull() {
			return all().length >= maxRules;
		},
		add(rule) {
			const over = rules.filter(one => !isInForce(one, clock.now()));
			replace([...rules, rule]);
			endUnattended(over);
		},
		used(id) {
			replace(rules.map(rule => (rule.id === id ? {...rule, uses: rule.uses + 1} : rule)));
		},
		runEnded(runId) {
			endUnattended(rules.filter(({scope, run}) => scope === 'run' && run === runId));
		},
		serverChanged(change) {
			const ended = voidedRules(rules, change);
			for (const {id, tool, server, profile} of ended) {
				log.warn('An approval rule is void: its tool changed or its server is gone', {
					rule: id,
					tool,
					server,
					profile,
				});
			}

			endUnattended(ended);
		},
		drop(id) {
			endUnattended(rules.filter(rule => rule.id === id));
		},
		async revoke(id) {
			const ended = rules.filter(rule => rule.id === id);
			if (ended.length > 0) {
				await end(ended);
			}

			return ended.length > 0;
		},
	};
}
