import type {ApiKey} from '../../core/api-keys/api-key.ts';
import {atFirst} from '../list/window.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource} from '../state/source.ts';
import {keysInOrder, keyVocabulary} from './key-order.ts';

/** The keys of the chat API. */
export const keyList: ListSource<List<ApiKey>> = {
	id: 'keys',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: key => key.id,
			vocabulary: keyVocabulary,
			read: state => keysInOrder(state.keys),
			height: rowsBelow(host, 1),
			position: atFirst,
			filter,
		}),
};
