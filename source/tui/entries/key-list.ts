import type {ApiKey} from '../../core/api-keys/api-key.ts';
import {keyNoun, keysInOrder} from '../../nouns/key/key.ts';
import {atFirst} from '../list/window.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource} from '../state/source.ts';

const none: readonly ApiKey[] = [];

/** The keys of the chat API. */
export const keyList: ListSource<List<ApiKey>> = {
	id: 'keys',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: keyNoun.id,
			vocabulary: keyNoun.vocabulary,
			read: ({keys = none}) => keysInOrder(keys),
			height: rowsBelow(host, 1),
			position: atFirst,
			filter,
		}),
};
