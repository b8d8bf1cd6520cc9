import {approvalVocabulary, type ApprovalEntry} from '../../core/filter/approval-vocabulary.ts';
import {limits} from '../../core/state.ts';
import {atFirst} from '../list/window.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource} from '../state/source.ts';
import {createApprovalEntries, entryKey, settledEntry, withOlder} from './approval-entry.ts';

/** The names of the columns, and the headings that the rows may have between them. */
const otherRows = 4;

/** What waits, the rules, and what was decided. */
export const entryList: ListSource<List<ApprovalEntry>> = {
	id: 'approvals',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: entryKey,
			vocabulary: approvalVocabulary,
			read: createApprovalEntries(),
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
