import type {Approval, ApprovalRule} from '../../../core/approval.ts';
import type {GatewayState} from '../../../core/state.ts';
import type {Term, Vocabulary} from '../../filter/filter.ts';
import {numberTerm, sinceTerm, textTerm} from '../../filter/terms.ts';

/** One row of pane 6. */
export type ApprovalEntry =
	| {readonly kind: 'waiting' | 'settled'; readonly approval: Approval}
	| {readonly kind: 'rule'; readonly rule: ApprovalRule};

type Slices = Pick<GatewayState, 'approvals' | 'settledApprovals' | 'approvalRules'>;

/** The rows of pane 6: what waits, the next deadline first; the rules, the newest first; what was settled, the newest first. The same array while nothing changed. */
export function createApprovalEntries(): (state: Slices) => readonly ApprovalEntry[] {
	let last: {readonly of: Slices; readonly entries: readonly ApprovalEntry[]} | undefined;
	return state => {
		if (
			last?.of.approvals === state.approvals &&
			last.of.settledApprovals === state.settledApprovals &&
			last.of.approvalRules === state.approvalRules
		) {
			return last.entries;
		}

		const entries = entriesOf(state);
		last = {of: state, entries};
		return entries;
	};
}

const entriesOf = ({
	approvals,
	settledApprovals,
	approvalRules,
}: Slices): readonly ApprovalEntry[] => [
	...approvals
		.toSorted((one, other) => one.deadline - other.deadline || one.id - other.id)
		.map((approval): ApprovalEntry => ({kind: 'waiting', approval})),
	...approvalRules.toReversed().map((rule): ApprovalEntry => ({kind: 'rule', rule})),
	...settledApprovals
		.toSorted((one, other) => decidedAt(other) - decidedAt(one) || other.id - one.id)
		.map((approval): ApprovalEntry => ({kind: 'settled', approval})),
];

const decidedAt = ({decision, requestedAt}: Approval): number => decision?.at ?? requestedAt;

/** What a row is remembered by. */
export const entryKey = (entry: ApprovalEntry): string =>
	entry.kind === 'rule' ? `rule ${entry.rule.id}` : `${entry.kind} ${entry.approval.id}`;

const serverOf = (entry: ApprovalEntry): string => {
	if (entry.kind === 'rule') {
		return entry.rule.server;
	}

	return entry.approval.kind === 'tool' ? entry.approval.tool.server : entry.approval.server;
};

const toolOf = (entry: ApprovalEntry): string => {
	if (entry.kind === 'rule') {
		return entry.rule.tool;
	}

	return entry.approval.kind === 'tool' ? entry.approval.tool.tool : 'form';
};

const outcomeOf = (entry: ApprovalEntry): string =>
	entry.kind === 'rule' ? entry.rule.scope : (entry.approval.decision?.outcome ?? 'waiting');

const runNumber = (entry: ApprovalEntry): number =>
	(entry.kind === 'rule' ? entry.rule.run : entry.approval.run) ?? Number.NaN;

const routeOf = (entry: ApprovalEntry): string =>
	entry.kind === 'rule' ? '' : (entry.approval.route ?? '');

/** The words of the Approvals filter: `kind: server: tool: outcome: route: run: since:` and free text. */
export const approvalVocabulary: Vocabulary<ApprovalEntry> = {
	terms: new Map<string, Term<ApprovalEntry>>([
		['kind', textTerm(entry => entry.kind)],
		['server', textTerm(serverOf)],
		['tool', textTerm(toolOf)],
		['outcome', textTerm(outcomeOf)],
		['route', textTerm(routeOf)],
		['run', numberTerm(runNumber, {'': 1})],
		[
			'since',
			sinceTerm(entry =>
				entry.kind === 'rule' ? entry.rule.createdAt : entry.approval.requestedAt,
			),
		],
	]),
	haystack: entry =>
		`${entry.kind} ${serverOf(entry)} ${toolOf(entry)} ${outcomeOf(entry)} ${routeOf(entry)}`.toLowerCase(),
};
