import {derive} from '../../core/derive.ts';
import type {ApprovalEntry} from '../../core/filter/vocabularies.ts';
import {limits, type GatewayState} from '../../core/state.ts';
import {
	approvalEntries,
	approvalNoun,
	settledEntry,
	withOlder,
} from '../../nouns/approval/approval.ts';
import {nounList, rowsBelow} from '../state/source.ts';

/** The names of the columns, and the headings that the rows may have between them. */
const otherRows = 4;

/** The same array while nothing changed. */
const entriesOf = derive(
	(
		approvals: GatewayState['approvals'],
		settledApprovals: GatewayState['settledApprovals'],
		approvalRules: GatewayState['approvalRules'],
	): readonly ApprovalEntry[] => approvalEntries({approvals, settledApprovals, approvalRules}),
);

/** What waits, the rules, and what was decided. */
export const entryList = nounList('approvals', approvalNoun, {
	read: ({approvals, settledApprovals, approvalRules}) =>
		entriesOf(approvals, settledApprovals, approvalRules),
	more: host => ({
		height: rowsBelow(host, otherRows),
		history: {
			clock: host.clock,
			isShown: () => host.pane().id === 'approvals',
			olderAt: 'end',
			isCut: state => state.settledApprovals.length >= limits.settledApprovals,
			isDone: ({kind}) => kind === 'settled',
			async ask(question, hungUp) {
				const {items, ...step} = await host.port.searchApprovals(question, hungUp);
				return {...step, items: items.map(settledEntry)};
			},
			join: withOlder,
		},
	}),
});
