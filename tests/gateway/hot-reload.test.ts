import {writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {gatewayHome, startTestGateway, testConfig, type TestGateway} from '../helpers/gateway.ts';
import {hookSecret, post} from '../helpers/post.ts';

const config = (route: JsonObject, rest: JsonObject = {}) => ({
	...rest,
	platforms: {
		webhook: {
			enabled: true,
			host: '127.0.0.1',
			port: 0,
			secret: hookSecret,
			routes: {hook: {prompt: '{n}', ...route}},
		},
	},
});

/** A gateway with one static route, whose file a test rewrites as an editor would: only the watcher tells of it. */
async function openGateway(route: JsonObject = {}) {
	const gateway = await startTestGateway({config: config(route)});
	const reloads = () => gateway.events.filter(({type}) => type === 'config-reloaded');
	return {
		...gateway,
		/** Writes the route anew and waits for the event that tells what changed. */
		async edit(next: JsonObject, rest: JsonObject = {}) {
			const before = reloads().length;
			await gateway.home.write('config.yaml', testConfig(config(next, rest)));
			await gateway.until(() => reloads().length > before);
			const last = reloads().at(-1);
			return last?.type === 'config-reloaded' ? last.changes : [];
		},
		[Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
	};
}

const statusOf = async (gateway: TestGateway, secret = hookSecret) =>
	(await post(`${gateway.url()}/webhooks/hook`, {payload: {n: 1}, secret})).status;

test('a route that begins, changes and ceases to coalesce in the file does so from then on', async () => {
	await using gateway = await openGateway();
	expect((await gateway.send('hook', {n: 1})).json).toMatchObject({status: 'accepted'});
	expect(await gateway.edit({coalesce: {key: 'n', window_seconds: 600}})).toEqual([
		'route hook changed: coalesce',
	]);
	expect((await gateway.send('hook', {n: 1})).json).toMatchObject({status: 'coalesced'});
	const {groups} = await gateway.until(state => state.groups.length === 1);
	expect((groups[0]?.quietAt ?? 0) - (groups[0]?.lastAt ?? 0)).toBeCloseTo(600_000, 0);

	await gateway.edit({coalesce: {key: 'n', window_seconds: 0.05}});
	await gateway.send('hook', {n: 1});
	await gateway.until(state => state.groups[0]?.state === 'dispatched');
	expect(gateway.port.getState().groups[0]).toMatchObject({count: 2, reason: 'quiet'});
	await gateway.ended(2);

	await gateway.edit({});
	expect((await gateway.send('hook', {n: 1})).json).toMatchObject({status: 'accepted'});
	await gateway.ended(3);
});

test('rate limit, concurrency, overflow and the list of secrets of a route count at once, and the diff names them', async () => {
	await using gateway = await openGateway({rate_limit: 1});
	expect([await statusOf(gateway), await statusOf(gateway)]).toEqual([202, 429]);
	expect(await gateway.edit({rate_limit: 100})).toEqual(['route hook changed: rate_limit']);
	expect(await statusOf(gateway)).toBe(202);

	const secrets = {rate_limit: 100, secret: ['new secret', 'old secret']};
	expect(await gateway.edit(secrets)).toEqual(['route hook changed: secret']);
	expect(await statusOf(gateway)).toBe(401);
	expect(await statusOf(gateway, 'old secret')).toBe(202);
	expect(await statusOf(gateway, 'new secret')).toBe(202);
	await gateway.edit({rate_limit: 100, secret: 'new secret'});
	expect(await statusOf(gateway, 'old secret')).toBe(401);

	const paced = {rate_limit: 1, overflow: 'queue', concurrency: 3, secret: 'new secret'};
	const [change = ''] = await gateway.edit(paced);
	for (const key of ['concurrency', 'overflow', 'rate_limit']) {
		expect(change).toContain(key);
	}

	expect(await statusOf(gateway, 'new secret')).toBe(202);
	expect(await statusOf(gateway, 'new secret')).toBe(202);
	expect(JSON.stringify(gateway.events)).not.toContain('new secret');
});

test('profiles that are served from now on, or no longer', async () => {
	await using gateway = await openGateway();
	await gateway.home.write('profiles/work/.env', 'HOOK=their secret\n');
	const mine = {profile: 'work', secret: '${HOOK}'};
	const on = {gateway: {multiplex_profiles: true}};
	await gateway.edit(mine);
	const request = async () =>
		(await post(`${gateway.url()}/p/work/webhooks/hook`, {payload: {n: 1}, secret: 'their secret'}))
			.status;
	expect(await request()).toBe(404);
	await gateway.edit(mine, on);
	expect(await request()).toBe(202);
	await gateway.edit(mine);
	expect(await request()).toBe(404);
});

test('a route in the file that the receiver would refuse at a start is served as it was while it runs', async () => {
	await using gateway = await openGateway({coalesce: {key: 'n', window_seconds: 600}});
	await gateway.home.write(
		'config.yaml',
		testConfig(config({coalesce: {key: 'n'}, deliver_only: true, deliver: 'email'})),
	);
	await gateway.until(({problems}) => problems.some(({severity}) => severity === 'error'));
	expect((await gateway.send('hook', {n: 1})).json).toMatchObject({status: 'coalesced'});
});

test('a lower bound of the queue refuses a new group, and takes nothing from those that wait', async () => {
	const clock = createFakeClock(1_700_000_000_000);
	await using home = await gatewayHome({
		config: config({coalesce: {key: 'n'}}),
	});
	await using gateway = await startTestGateway({home, clock});
	for (const n of [1, 2, 3]) {
		expect((await gateway.send('hook', {n})).status).toBe(202);
	}

	await home.write(
		'config.yaml',
		testConfig(config({coalesce: {key: 'n'}}, {runs: {max_queued: 1}})),
	);
	await gateway.port.reload();
	expect((await gateway.send('hook', {n: 4})).status).toBe(503);
	expect((await gateway.send('hook', {n: 3})).status).toBe(202);
	clock.advance(30_000);
	await gateway.ended(3);
	expect((await gateway.send('hook', {n: 4})).status).toBe(202);
});

test('a change of the file that is seen as soon as files are watched is taken over', async () => {
	await using home = await gatewayHome({config: {platforms: {webhook: {enabled: false}}}});
	let looks = 0;
	const clock = {
		...systemClock,
		/** The first looks at the files come at once, and find another one. */
		after(delayMs: number, callback: () => void) {
			if (delayMs !== 30_000 || looks === 5) {
				return systemClock.after(delayMs, callback);
			}

			looks += 1;
			writeFileSync(home.file('config.yaml'), testConfig(config({})));
			queueMicrotask(callback);
			return () => {};
		},
	};
	await using gateway = await startTestGateway({home, clock});
	await gateway.until(({webhook}) => webhook.state === 'listening');
	expect(await statusOf(gateway)).toBe(202);
});

test('that a mistake was mended, and a secret that an edit replaced hidden, is seen in the log', async () => {
	await using gateway = await openGateway({secret: 'the-first-secret-of-all'});
	await gateway.edit({secret: 'the-second-secret-of-all', evnts: ['push']});
	await gateway.edit({secret: 'the-second-secret-of-all'});
	const lines = () => gateway.port.getState().logs.map(({message}) => message);
	await gateway.until(({logs}) =>
		logs.some(({message}) => message === 'The configuration is in order again'),
	);
	await gateway.edit({secret: 'the-second-secret-of-all', description: 'x'});
	expect(lines().filter(message => message.includes('in order again'))).toHaveLength(1);

	await post(`${gateway.url()}/webhooks/hook`, {
		payload: {n: 'the-first-secret-of-all'},
		secret: 'the-second-secret-of-all',
		headers: {'x-github-event': 'the-first-secret-of-all the-second-secret-of-all'},
	});
	const {deliveries} = await gateway.until(state => state.deliveries.length === 1);
	expect(deliveries[0]?.delivery.event).toBe('[redacted] [redacted]');
});
