import {describe, expect, test} from 'vitest';
import type {KeyRecord} from '../../source/core/api-key.ts';
import {maxKeys} from '../../source/store/rules.ts';
import type {Use} from './contract.ts';
import {startMs} from './samples.ts';

export const sampleKey = (values: Partial<KeyRecord> = {}): KeyRecord => ({
	id: 'key_one',
	name: 'laptop',
	kind: 'live',
	endpoints: ['chat', 'models'],
	models: ['*'],
	agents: true,
	budget: {tokens: 1000, per: 'week'},
	createdAt: startMs,
	secrets: [{hash: 'a'.repeat(64), hint: 'svc_live_aaaa…aaaa'}],
	...values,
});

const use1 = {id: 'key_one', day: '2026-11-22', requests: 1, inputTokens: 10, outputTokens: 20};

/** What every adapter must do with the keys of the chat API. */
export function describeKeys(name: string, use: Use): void {
	describe(`${name}: keys`, () => {
		test(
			'a key is there as it was written last, in the order in which keys were made, also after a crash',
			use(async (store, clock, home) => {
				const other = sampleKey({id: 'key_two', name: 'ci', kind: 'test'});
				await store.keys.put(sampleKey(), startMs);
				await store.keys.put(other, startMs);
				await store.keys.put(sampleKey({revokedAt: startMs + 5}), startMs);
				await using after = await home.crash();
				await using reopened = await after.open(clock);
				expect(await reopened.keys.list()).toEqual([sampleKey({revokedAt: startMs + 5}), other]);
			}),
		);

		test(
			'what keys use is added up by day, and its last use stands with the key',
			use(async (store, clock, home) => {
				await store.keys.put(sampleKey(), startMs);
				await store.keys.put(sampleKey({id: 'key_two'}), startMs);
				await store.keys.add([use1, {...use1, id: 'key_two'}], new Map([['key_one', startMs + 7]]));
				await store.keys.add(
					[use1, {...use1, day: '2026-11-23'}, {...use1, id: 'key_never'}],
					new Map([
						['key_one', startMs + 3],
						['key_never', startMs],
					]),
				);
				await using after = await home.crash();
				await using reopened = await after.open(clock);
				expect(await reopened.keys.usesSince('2026-11-22')).toEqual([
					{...use1, requests: 2, inputTokens: 20, outputTokens: 40},
					{...use1, id: 'key_two'},
					{...use1, day: '2026-11-23'},
				]);
				expect(await reopened.keys.usesSince('2026-11-23')).toHaveLength(1);
				expect(await reopened.keys.totals()).toEqual([
					{id: 'key_one', requests: 3, inputTokens: 30, outputTokens: 60},
					{id: 'key_two', requests: 1, inputTokens: 10, outputTokens: 20},
				]);
				expect(await reopened.keys.list(['key_two'])).toMatchObject([{id: 'key_two'}]);
				const [first, second] = await reopened.keys.list();
				expect(first?.lastUsedAt).toBe(startMs + 7);
				expect(second).not.toHaveProperty('lastUsedAt');
				// What came back from the journal is not written into it twice.
				await reopened.keys.put({...sampleKey(), ...first, name: 'desk'}, startMs);
				expect((await reopened.keys.list())[0]).toMatchObject({
					name: 'desk',
					lastUsedAt: startMs + 7,
				});
			}),
		);

		test(
			'a batch of what keys used that is added again changes nothing',
			use(async store => {
				await store.keys.put(sampleKey(), startMs);
				for (const batch of ['a', 'a', 'b', 'b']) {
					// oxlint-disable-next-line no-await-in-loop -- one after the other
					await store.keys.add([use1], new Map(), batch);
				}

				expect(await store.keys.totals()).toMatchObject([{requests: 2}]);
				expect(await store.keys.usesSince('')).toMatchObject([{requests: 2}]);
			}),
		);

		test(
			'sums of what keys use stay numbers that can be read, however much is added',
			use(async (store, clock, home) => {
				const most = Number.MAX_SAFE_INTEGER;
				await store.keys.put(sampleKey(), startMs);
				for (const inputTokens of [most, most, 7]) {
					await store.keys.add([{...use1, inputTokens}], new Map());
				}

				await using after = await home.crash();
				await using reopened = await after.open(clock);
				const used = {requests: 3, inputTokens: most, outputTokens: 60};
				expect(await reopened.keys.totals()).toEqual([{id: 'key_one', ...used}]);
				expect(await reopened.keys.usesSince('')).toEqual([{...use1, ...used}]);
			}),
		);

		test(
			`${maxKeys} may be in force, and of those that were revoked the last ${maxKeys} are kept`,
			use(async store => {
				const fill = async (from: number, values: Partial<KeyRecord>) => {
					await Promise.all(
						Array.from({length: maxKeys}, async (_, index) =>
							store.keys.put(sampleKey({id: `key_${from + index}`, ...values}), startMs),
						),
					);
				};

				await fill(0, {});
				await expect(store.keys.put(sampleKey({id: 'key_more'}), startMs)).rejects.toMatchObject({
					code: 'keys_full',
				});
				// One that is there may change.
				await store.keys.put(sampleKey({id: 'key_7', name: 'changed'}), startMs);
				await store.keys.add([{...use1, id: 'key_0'}], new Map());
				await fill(0, {revokedAt: startMs});
				expect(
					await store.keys.put(sampleKey({id: 'key_more', revokedAt: startMs}), startMs),
				).toEqual(['key_0']);
				// One that has expired is in force no more, and goes like those that were revoked.
				await fill(5000, {expiresAt: startMs + 100});
				await expect(
					store.keys.put(sampleKey({id: 'key_new'}), startMs + 99),
				).rejects.toMatchObject({code: 'keys_full'});
				expect(await store.keys.put(sampleKey({id: 'key_new'}), startMs + 100)).toHaveLength(
					maxKeys,
				);
				const kept = (await store.keys.list()).map(({id}) => id);
				expect(kept).toHaveLength(maxKeys + 1);
				expect(kept).not.toContain('key_more');
				expect(kept).toContain('key_5000');
				expect(await store.keys.usesSince('')).toEqual([]);
			}),
		);
	});
}
