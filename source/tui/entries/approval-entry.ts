import type {Approval} from '../../core/approval.ts';
import {createMemory} from '../../core/derive.ts';
import type {ApprovalEntry} from '../../core/filter/approval-vocabulary.ts';
import type {GatewayState} from '../../core/state.ts';

type Slices = Pick<GatewayState, 'approvals' | 'settledApprovals' | 'approvalRules'>;

/** The rows of pane 6: what waits, the next deadline first; the rules, the newest first; what was settled, the newest first. The same array while nothing changed. */
export function createApprovalEntries(): (state: Slices) => readonly ApprovalEntry[] {
	const remember = createMemory<readonly ApprovalEntry[]>();
	return state =>
		remember([state.approvals, state.settledApprovals, state.approvalRules], () =>
			entriesOf(state),
		);
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
	...newestFirst(settledApprovals.map(settledEntry)),
];

type Settled = Extract<ApprovalEntry, {readonly approval: Approval}>;

export const settledEntry = (approval: Approval): Settled => ({kind: 'settled', approval});

const newestFirst = (entries: readonly Settled[]): readonly Settled[] =>
	entries.toSorted(
		({approval: one}, {approval: other}) => decidedAt(other) - decidedAt(one) || other.id - one.id,
	);

const isSettled = (entry: ApprovalEntry): entry is Settled => entry.kind === 'settled';

/** The rows with those that were settled longer ago. */
export function withOlder(
	live: readonly ApprovalEntry[],
	older: readonly ApprovalEntry[],
): readonly ApprovalEntry[] {
	return [
		...live.filter(entry => !isSettled(entry)),
		...newestFirst([...live, ...older].filter(isSettled)),
	];
}

const decidedAt = ({decision, requestedAt}: Approval): number => decision?.at ?? requestedAt;

/** What a row is remembered by. */
export const entryKey = (entry: ApprovalEntry): string =>
	entry.kind === 'rule' ? `rule ${entry.rule.id}` : `${entry.kind} ${entry.approval.id}`;
