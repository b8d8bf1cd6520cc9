import {describe, expect, test} from 'vitest';
import {maxMemos} from '../../source/store/rules.ts';
import type {Use} from './contract.ts';

/** What every adapter must do with the small facts of other rooms. */
export function describeMemos(name: string, use: Use): void {
	describe(`${name}: memos`, () => {
		test(
			'a memo is there by its kind and name, also after a crash, until it is dropped',
			use(async (store, clock, home) => {
				await store.memos.put('loop', 'one', 'why');
				await store.memos.put('loop', 'two', {id: 7});
				await store.memos.put('comment', 'one', [1]);
				await store.memos.put('loop', 'one', 'because');
				await using after = await home.crash();
				await using reopened = await after.open(clock);
				expect(await reopened.memos.get('loop', 'one')).toBe('because');
				expect(await reopened.memos.get('comment', 'two')).toBe(undefined);
				expect(await reopened.memos.list('loop')).toEqual([
					{name: 'one', value: 'because'},
					{name: 'two', value: {id: 7}},
				]);
				await reopened.memos.drop('loop', 'one');
				await reopened.memos.drop('loop', 'never');
				expect(await reopened.memos.list('loop')).toEqual([{name: 'two', value: {id: 7}}]);
				expect(await reopened.memos.get('comment', 'one')).toEqual([1]);
			}),
		);

		test(
			'the newest 10,000 of a kind are kept',
			use(async store => {
				await store.memos.put('other', 'old', 1);
				for (let first = 0; first < maxMemos + 1000; first += 1000) {
					// oxlint-disable-next-line no-await-in-loop -- more writes at once are refused
					await Promise.all(
						Array.from({length: 1000}, async (_, index) =>
							store.memos.put('loop', `memo ${first + index}`, index),
						),
					);
				}

				expect(await store.memos.get('loop', 'memo 0')).toBe(undefined);
				expect(await store.memos.get('loop', 'memo 1000')).toBe(0);
				expect(await store.memos.list('loop')).toHaveLength(maxMemos);
				expect(await store.memos.get('other', 'old')).toBe(1);
			}),
		);
	});
}
