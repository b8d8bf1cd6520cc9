// @module-tag slow
import {existsSync} from 'node:fs';
import {afterAll, describe, expect, test, vi} from 'vitest';
import type {JsonObject} from '../../../source/core/json.ts';
import {startTestGateway} from '../../helpers/gateway.ts';
import {hookSecret} from '../../helpers/post.ts';
import {hasPostgres, startPostgres} from '../../helpers/postgres.ts';

const storeKey = 'a key of at least sixteen characters';

/** A change is in force at every member within this time; the machine of a test may be slow. */
const within = {timeout: 5000, interval: 20};

describe.runIf(hasPostgres)('gateways that share subscriptions and jobs', async () => {
	const server = hasPostgres ? await startPostgres() : undefined;
	afterAll(() => server?.[Symbol.asyncDispose]());

	test('a file is imported, its routes are served by all, and a change at one is in force at the other', async () => {
		const url = (await server?.create('two_gateways')) ?? '';
		const member = async (
			node: string,
			{
				key = storeKey,
				subscriptions = {},
			}: {readonly key?: string; readonly subscriptions?: Record<string, JsonObject>} = {},
		) => startTestGateway({config: {gateway: {store: url, node, store_key: key}}, subscriptions});
		await using east = await member('east', {
			subscriptions: {hook: {prompt: 'Hello', secret: hookSecret}},
		});
		await using west = await member('west');
		const file = east.home.file('webhook_subscriptions.json');
		expect(existsSync(file)).toBe(false);
		expect(existsSync(`${file}.imported`)).toBe(true);
		await vi.waitFor(async () => {
			expect(await west.send('hook', {n: 1})).toMatchObject({status: 202});
		}, within);

		await west.port.setRoutePaused('hook', {paused: true});
		await vi.waitFor(async () => {
			expect(await east.send('hook', {n: 2})).toMatchObject({status: 503});
		}, within);
		await east.port.setRoutePaused('hook', {paused: false});
		await vi.waitFor(async () => {
			expect(await west.send('hook', {n: 3})).toMatchObject({status: 202});
		}, within);

		// With a wrong key its routes are not served, and not refused as if their senders were wrong.
		await using wrong = await member('south', {key: 'another key of enough characters'});
		expect(await wrong.send('hook', {n: 4})).toMatchObject({status: 503});
		expect(wrong.log.join('\n')).toContain('gateway.store_key');
		const rotated = await east.port.rotateRoute('hook', {overlap_ms: 0});
		expect(rotated.file).toContain('(subscriptions)');
		await vi.waitFor(async () => {
			expect(await west.send('hook', {n: 5})).toMatchObject({status: 401});
		}, within);
	});
});
