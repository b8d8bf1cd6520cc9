// @module-tag slow
import {expect, test} from 'vitest';
import {slowClients} from './slow.ts';

test('clients that never finish their header or their body are all sent away, and nobody else waits for them', async () => {
	const {closed, statuses} = await slowClients({clients: 60});
	expect(closed).toBe(60);
	expect(Object.keys(statuses)).toEqual(['200']);
}, 120_000);
