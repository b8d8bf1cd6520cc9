import type {ApprovalRule} from '../core/approval.ts';
import type {ApprovalKeeper} from '../core/approvals/keeper.ts';
import {areAsKeysSay} from '../core/approvals/rule-keys.ts';
import {messageOf} from '../core/errors.ts';
import type {World} from '../core/world.ts';
import type {ToolsChange} from './approvals.ts';
import {
	problemWithRule,
	isInForce,
	isUnseen,
	maxRules,
	type RuledCall,
	rulesFor,
	voidedRules,
} from './rules.ts';
import type {PresentTools} from './terms.ts';

/** The standing rules, in memory and in their store. A rule must be stored before it is added here. */
export type RuleBook = {
	/** The rules in force, oldest first. `problem` says why a rule of a file allows nothing at present. */
	all(): readonly ApprovalRule[];
	/** The first rule that allows a call, among those without `when`, which need no comparison of real paths. */
	findNow(call: RuledCall): ApprovalRule | undefined;
	/** Whether `find` may find a rule that `findNow` does not: one with `when`, or one that is not bound to its tool yet. */
	mayFind(call: RuledCall): boolean;
	/** The first rule that allows a call; with `only`, just that rule is considered. The rule is in force when this resolves. */
	find(call: RuledCall, only?: number): Promise<ApprovalRule | undefined>;
	/** The rules of files, including those whose entries were removed. */
	ofFiles(): readonly ApprovalRule[];
	/** Sets the entries that the files hold at present: rules of other entries allow nothing. */
	setEntries(entries: ReadonlySet<string>): void;
	/** Replaces the rule with the same number. */
	change(rule: ApprovalRule): void;
	/** Reports all rules again; to be called after their tools changed. */
	tell(): void;
	readonly isFull: boolean;
	add(rule: ApprovalRule): void;
	/** Counts a use of a rule. */
	used(id: number): void;
	/** Ends the rules that hold for one run. */
	runEnded(runId: number): void;
	/** Ends the rules that a change of tools invalidates. */
	toolsChanged(change: ToolsChange): void;
	/** Ends rules at once; the caller removes them from the store. */
	forget(ids: readonly number[]): void;
	/** Ends one rule at once, and removes it from the store without waiting. */
	drop(id: number): void;
	/** Replaces the rules by the stored ones, including those of other gateways. Rules that ended here stay ended. */
	setKept(kept: readonly ApprovalRule[]): void;
	/** Ends one rule at once, and resolves when that is durable; `false` for an unknown rule. @throws SvcError `journal_unavailable` */
	revoke(id: number): Promise<boolean>;
};

/** Creates the book with the stored rules. */
export function createRuleBook(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly keeper: Pick<ApprovalKeeper, 'removeRules'>;
		readonly present: Pick<PresentTools, 'named'>;
		/** Folders closed to all rules, absolute. */
		readonly closed: readonly string[];
	},
	kept: readonly ApprovalRule[],
): RuleBook {
	const {clock, emit, log, keeper, present, closed} = world;
	let rules = kept;
	/** Rules that ended here, whether or not that is stored yet. */
	const gone = new Set<number>();
	let entries: ReadonlySet<string> = new Set();

	const replace = (next: readonly ApprovalRule[]) => {
		rules = next;
		tell();
	};

	const tell = () => emit({type: 'approval-rules-changed', at: clock.now(), rules: all()});

	const inForce = () =>
		rules.filter(
			rule =>
				isInForce(rule, clock.now()) && (rule.file === undefined || entries.has(rule.file.entry)),
		);

	const all = () =>
		inForce().map(rule => {
			const tool = rule.file && present.named(rule.profile, rule.file.name);
			const problem = rule.file && problemWithRule(rule, tool, closed);
			return problem === undefined
				? rule
				: {...rule, problem, ...(tool && {present: tool.definition})};
		});

	/** Whether the rule is still in force, and unchanged. */
	const holds = (rule: ApprovalRule): boolean =>
		inForce().some(({id, definition}) => id === rule.id && definition === rule.definition);

	const find = async (call: RuledCall, only?: number) => {
		for (const rule of rulesFor(call, inForce(), clock.now())) {
			const isMeant = only === undefined || rule.id === only;
			// oxlint-disable-next-line no-await-in-loop -- the first that allows it counts
			if (isMeant && (!rule.when || (await areAsKeysSay(rule.when, call, closed))) && holds(rule)) {
				return rule;
			}
		}

		return undefined;
	};

	/** Ends rules in memory first, so that they allow nothing even if the store fails. */
	const end = async (ended: readonly ApprovalRule[]) => {
		const ids = new Set(ended.map(({id}) => id));
		for (const id of ids) {
			gone.add(id);
		}

		replace(rules.filter(({id}) => !ids.has(id)));
		await keeper.removeRules([...ids]);
	};

	const endUnattended = (ended: readonly ApprovalRule[]) => {
		if (ended.length > 0) {
			end(ended).catch((error: unknown) => {
				const facts = {rules: ended.map(({id}) => id).join(', '), error: messageOf(error)};
				log.error('Cannot remove approval rules from the journal', facts);
			});
		}
	};

	return {
		all,
		findNow: call => rulesFor(call, inForce(), clock.now()).find(({when}) => !when),
		mayFind: call =>
			inForce().some(rule => isUnseen(rule, call)) ||
			rulesFor(call, inForce(), clock.now()).some(({when}) => when),
		find,
		ofFiles: () => rules.filter(({file}) => file !== undefined),
		setEntries(next) {
			entries = next;
			tell();
		},
		change: changed => replace(rules.map(rule => (rule.id === changed.id ? changed : rule))),
		tell,
		get isFull() {
			return inForce().length >= maxRules;
		},
		add(rule) {
			const over = rules.filter(one => !isInForce(one, clock.now()));
			replace([...rules, rule]);
			endUnattended(over);
		},
		used(id) {
			const usedAt = clock.now();
			replace(rules.map(rule => (rule.id === id ? {...rule, uses: rule.uses + 1, usedAt} : rule)));
		},
		runEnded(runId) {
			endUnattended(rules.filter(({scope, run}) => scope === 'run' && run === runId));
		},
		toolsChanged(change) {
			const ended = voidedRules(rules, change);
			for (const {id, tool, server, profile} of ended) {
				const facts = {rule: id, tool, server, profile};
				log.warn('An approval rule is void: its tool changed or its server is gone', facts);
			}

			endUnattended(ended);
		},
		forget: ids => replace(rules.filter(({id}) => !ids.includes(id))),
		setKept(next) {
			const ids = new Set(next.map(({id}) => id));
			for (const id of [...gone].filter(one => !ids.has(one))) {
				gone.delete(id);
			}

			replace(next.filter(({id}) => !gone.has(id)));
		},
		drop: id => endUnattended(rules.filter(rule => rule.id === id)),
		async revoke(id) {
			const ended = rules.filter(rule => rule.id === id);
			if (ended.length > 0) {
				await end(ended).catch((error: unknown) => {
					gone.delete(id);
					throw error;
				});
			}

			return ended.length > 0;
		},
	};
}
