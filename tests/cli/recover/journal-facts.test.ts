import {expect, test} from 'vitest';
import {idsTakenIn, repositoryOfRoute} from '../../../source/cli/recover/journal-facts.ts';
import type {Delivery, StoredDelivery} from '../../../source/core/delivery.ts';
import {makeDelivery} from '../../helpers/make.ts';
import {makeRoute} from '../../webhook/start-receiver.ts';

/** A journal that holds `rows`, newest first. */
const journalOf = (rows: readonly StoredDelivery[]) => ({
	listDeliveries: async ({limit}: {readonly limit: number}): Promise<readonly Delivery[]> =>
		rows.slice(0, limit),
	getDelivery: async (id: string) => rows.find(row => row.id === id),
});

const rowOf = (id: string, idSource: string, repository: string): StoredDelivery => ({
	...makeDelivery({id, deliveryId: `event-${id}`, idSource}),
	headers: {},
	body: Buffer.from(JSON.stringify({repository: {full_name: repository}})),
});

test('what was imported has not been taken in: nothing ran for it', async () => {
	const journal = journalOf([
		rowOf('2', 'import', 'their/repo'),
		rowOf('1', 'x-github-delivery', 'our/repo'),
	]);
	expect([...(await idsTakenIn(journal, {route: makeRoute(), since: 0}))]).toEqual(['event-1']);
});

test('nor does it tell which repository feeds a route, however much of it there is', async () => {
	const journal = journalOf([
		...Array.from({length: 50}, (_, index) => rowOf(`${100 - index}`, 'import', 'their/repo')),
		rowOf('1', 'x-github-delivery', 'our/repo'),
	]);
	expect(await repositoryOfRoute(journal, makeRoute(), undefined)).toBe('our/repo');
});

test('a webhook that sends forms tells it as one that sends JSON does', async () => {
	const json = JSON.stringify({repository: {full_name: 'our/repo'}});
	const journal = journalOf([
		{
			...rowOf('1', 'x-github-delivery', ''),
			headers: {
				'content-type': 'application/x-www-form-urlencoded',
				'x-github-event': 'push',
			},
			body: Buffer.from(`payload=${encodeURIComponent(json)}`),
		},
	]);
	expect(await repositoryOfRoute(journal, makeRoute(), undefined)).toBe('our/repo');
});
