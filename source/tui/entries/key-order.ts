import {endOf, type ApiKey} from '../../core/api-keys/api-key.ts';
import {keyState, scopeWords} from '../../core/api-keys/key-words.ts';
import {derive} from '../../core/derive.ts';
import type {Term, Vocabulary} from '../../core/filter/filter.ts';
import {sinceTerm, textTerm} from '../../core/filter/terms.ts';

const none: readonly ApiKey[] = [];

const inOrder = derive((keys: readonly ApiKey[]): readonly ApiKey[] => {
	const newest = keys.toReversed();
	return [
		...newest.filter(({revokedAt}) => revokedAt === undefined),
		...newest.filter(({revokedAt}) => revokedAt !== undefined),
	];
});

/** The keys as they are listed: the newest first, and those that were revoked below. */
export const keysInOrder = (keys: readonly ApiKey[] = none): readonly ApiKey[] => inOrder(keys);

/** How many keys pass at `now`. */
export const keysInForce = (keys: readonly ApiKey[] = none, now: number): number =>
	keys.filter(key => endOf(key, now) === undefined).length;

/** The words of a filter of keys. */
export const keyVocabulary: Vocabulary<ApiKey> = {
	terms: new Map<string, Term<ApiKey>>([
		['name', textTerm(key => key.name, {says: 'what it is called', example: 'name:laptop'})],
		['id', textTerm(key => key.id, {says: 'its identifier', example: 'id:key_0a1B'})],
		[
			'kind',
			textTerm(key => key.kind, {
				says: 'whether it is for tests',
				example: 'kind:test',
				words: ['live', 'test'],
			}),
		],
		[
			'endpoint',
			textTerm(key => key.endpoints.join(' '), {
				says: 'what it is for',
				example: 'endpoint:approvals',
			}),
		],
		[
			'since',
			sinceTerm(key => key.lastUsedAt ?? 0, {
				says: 'used since: so long ago, or that time of the last day',
				example: 'since:1d',
			}),
		],
	]),
	haystack: key =>
		`${key.name} ${key.id} ${key.hint} ${key.kind} ${scopeWords(key)} ${keyState(key, 0)}`.toLowerCase(),
};
