import {groupVocabulary} from '../../core/filter/group-vocabulary.ts';
import type {Group} from '../../core/group.ts';
import {limits} from '../../core/state.ts';
import {groupOrder} from '../../nouns/group/group.ts';
import {atFirst} from '../list/window.ts';
import {createList, type List} from '../state/list.ts';
import type {ListSource} from '../state/source.ts';
import {shownSections} from './sections.ts';

/** Groups that wait, then those that were dispatched. */
export const groupList: ListSource<List<Group>> = {
	id: 'groups',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: group => String(group.id),
			vocabulary: groupVocabulary,
			read: state => groupOrder(state.groups).all,
			height: () => shownSections(host).groupRows,
			position: atFirst,
			history: {
				clock: host.clock,
				isShown: () => host.pane().id === 'groups',
				olderAt: 'end',
				isCut: ({groups}) => groupOrder(groups).done >= limits.dispatchedGroups,
				isDone: ({state}) => state === 'dispatched',
				ask: async (question, hungUp) => host.port.searchGroups(question, hungUp),
				join: (live, older) => groupOrder([...live, ...older]).all,
			},
			filter,
		}),
};
