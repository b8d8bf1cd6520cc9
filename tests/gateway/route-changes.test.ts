import {readFileSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';

const subscriptionsIn = ({paths}: TestGateway) =>
	JSON.parse(readFileSync(paths.subscriptions, 'utf8')) as Record<string, JsonObject>;

const id = {'x-github-delivery': 'one'};

test('a paused route answers 503 with Retry-After, takes no identifier, and what was not sent again is replayed', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {
			hook: {prompt: 'x', filters: [{field: 'wanted', equals: true}], unheard: [1]},
			other: {prompt: 'y'},
		},
	});
	const {port} = gateway;
	await port.setRoutePaused('hook', {paused: true});

	const {status, json, headers} = await gateway.send('hook', {wanted: true}, id);
	expect({status, json, retry: headers.get('retry-after')}).toEqual({
		status: 503,
		json: {error: 'Route is paused'},
		retry: '60',
	});
	// What it does not want, nobody has to send again.
	expect((await gateway.send('hook', {wanted: false})).json).toMatchObject({reason: 'filter'});
	expect((await gateway.send('other', {})).status).toBe(202);
	expect(subscriptionsIn(gateway)).toMatchObject({hook: {enabled: false, unheard: [1]}});

	const [kept] = await port.listDeliveries({outcomes: ['paused'], limit: 1});
	expect(kept).toMatchObject({deliveryId: 'one', route: 'hook'});
	expect(await port.replay(kept?.id ?? '')).toMatchObject({status: 503});

	await port.setRoutePaused('hook', {paused: false});
	expect((await gateway.send('hook', {wanted: true}, id)).json).toMatchObject({status: 'accepted'});
	expect(await port.replay(kept?.id ?? '')).toMatchObject({status: 202});
	expect(subscriptionsIn(gateway)['hook']).not.toHaveProperty('enabled');
	await gateway.gateway.idle();
});

test('a static route is paused by its key in config.yaml', async () => {
	await using gateway = await startTestGateway({
		config: {
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					secret: hookSecret,
					routes: {fixed: {prompt: 'x', enabled: false}},
				},
			},
		},
	});

	expect((await gateway.send('fixed', {})).status).toBe(503);
	await expect(gateway.port.setRoutePaused('fixed', {paused: false})).rejects.toMatchObject({
		code: 'subscription_not_found',
	});
});

test('a route that is served as it was cannot be paused: what is written does not count', async () => {
	await using gateway = await startTestGateway({subscriptions: {hook: {prompt: 'x'}}});
	const broken = JSON.stringify({hook: {secret: hookSecret, prompt: 7}});
	writeFileSync(gateway.paths.subscriptions, broken);

	await expect(gateway.port.setRoutePaused('hook', {paused: true})).rejects.toMatchObject({
		code: 'route_refused',
	});
	expect(readFileSync(gateway.paths.subscriptions, 'utf8')).toBe(broken);
});

test('after a rotation both secrets pass, and the new one is in no listing', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: 'x', unheard: [1]}},
	});
	const {port} = gateway;

	const {secret = '', until = 0} = await port.rotateRoute('hook', {overlap_ms: 3_600_000});

	expect(until).toBeGreaterThan(Date.now());
	expect(subscriptionsIn(gateway)['hook']).toEqual({
		prompt: 'x',
		unheard: [1],
		secret,
		rotated_on: expect.any(String),
		retired_secrets: [{secret: hookSecret, until: new Date(until).toISOString()}],
	});
	// Signed with the old one.
	expect((await gateway.send('hook', {})).status).toBe(202);
	expect(await port.sendTestEvent('hook')).toMatchObject({status: 202});
	expect(JSON.stringify([await port.listRoutes(), await port.readRoute('hook')])).not.toContain(
		secret,
	);
	expect(gateway.log.join('\n')).not.toContain(secret);

	const last = await port.rotateRoute('hook', {overlap_ms: 0});
	expect(last).not.toHaveProperty('until');
	expect((await gateway.send('hook', {})).status).toBe(401);
});

test('a removed subscription is an unknown route at once, and the others stay', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: 'x'}, other: {prompt: 'y'}},
	});

	await gateway.port.removeRoute('hook');

	expect(Object.keys(subscriptionsIn(gateway))).toEqual(['other']);
	expect((await gateway.send('hook', {})).status).toBe(404);
	expect(gateway.port.getState().routes.map(({name}) => name)).toEqual(['other']);
});
