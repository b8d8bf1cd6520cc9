import {createMemory} from '../../core/derive.ts';
import type {ApprovalEntry} from '../../core/filter/approval-vocabulary.ts';
import {limits, type GatewayState} from '../../core/state.ts';
import {
	approvalEntries,
	approvalNoun,
	settledEntry,
	withOlder,
} from '../../nouns/approval/approval.ts';
import {atFirst} from '../list/window.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource} from '../state/source.ts';

/** The names of the columns, and the headings that the rows may have between them. */
const otherRows = 4;

/** The same array while nothing changed. */
function createEntries(): (state: GatewayState) => readonly ApprovalEntry[] {
	const remember = createMemory<readonly ApprovalEntry[]>();
	return state =>
		remember([state.approvals, state.settledApprovals, state.approvalRules], () =>
			approvalEntries(state),
		);
}

/** What waits, the rules, and what was decided. */
export const entryList: ListSource<List<ApprovalEntry>> = {
	id: 'approvals',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: approvalNoun.id,
			vocabulary: approvalNoun.vocabulary,
			read: createEntries(),
			height: rowsBelow(host, otherRows),
			position: atFirst,
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
			filter,
		}),
};
