import {groupVocabulary} from '../../../core/filter/group-vocabulary.ts';
import type {Group} from '../../../core/group.ts';
import {atFirst} from '../../list/window.ts';
import type {ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';
import {groupOrder} from './group-order.ts';
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
			filter,
		}),
};
