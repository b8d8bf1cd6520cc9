import type {ApiKey} from '../../core/api-key.ts';
import {keyNoun, keysInOrder} from '../../nouns/key/key.ts';
import {nounList} from '../state/source.ts';

const none: readonly ApiKey[] = [];

/** The keys of the chat API. */
export const keyList = nounList('keys', keyNoun, {
	read: ({keys = none}) => keysInOrder(keys),
});
