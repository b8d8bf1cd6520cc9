import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {makeDelivery} from '../helpers/make.ts';

const subscriptions = {
	hook: {prompt: 'Hook {name}', events: ['push']},
	other: {prompt: 'Other {name}', filters: {field: 'name', equals: 'Sam'}},
	comment: {
		prompt: 'x',
		deliver: 'forge_comment',
		deliver_extra: {repo: '{repo}', pr_number: '{n}'},
	},
};

test('a delivery is replayed to another route, with another body', async () => {
	await using gateway = await startTestGateway({subscriptions});
	await gateway.send('hook', {name: 'Alex'});
	await gateway.ended(1);
	const [original] = await gateway.port.listDeliveries({limit: 1});
	const id = original?.id ?? '';

	const ignored = await gateway.port.replay(id, {route: 'other'});
	expect(JSON.parse(ignored.body)).toMatchObject({status: 'ignored', reason: 'filter'});
	const accepted = await gateway.port.replay(id, {route: 'other', body: '{"name":"Sam"}'});
	expect(JSON.parse(accepted.body)).toMatchObject({status: 'accepted', route: 'other'});
	expect((await gateway.ended(2)).plan.prompt).toBe('Other Sam');
	const [replayed] = await gateway.port.listDeliveries({limit: 1});
	expect(replayed).toMatchObject({route: 'other', replayOf: id, idSource: 'replay'});
});

test('what a replay would do is said of the body and the route that are to be sent', async () => {
	await using gateway = await startTestGateway({subscriptions});
	await gateway.send('hook', {name: 'Alex'});
	const [original] = await gateway.port.listDeliveries({limit: 1});
	const plan = await gateway.port.planReplay(original?.id ?? '', {
		route: 'comment',
		body: '{"repo":"acme/api","n":7}',
	});
	expect(plan).toEqual({
		route: 'comment',
		effects: [
			'starts an agent run',
			'posts a comment to acme/api#7',
			'but no language model is configured: the answer goes to the log alone (svc help model)',
		],
		needsConfirmation: true,
	});
	for (const refused of [
		gateway.port.planReplay(original?.id ?? '', {route: 'nobody'}),
		gateway.port.replay(original?.id ?? '', {route: 'nobody'}),
	]) {
		await expect(refused).rejects.toMatchObject({code: 'route_not_found'});
	}
});

test('an event that its sender could not deliver is taken in with its own identifier, once', async () => {
	await using gateway = await startTestGateway({subscriptions});
	const event = {
		delivery_id: 'missed-1',
		headers: {'x-github-event': 'push', 'content-type': 'application/json'},
		body: '{"name":"Alex"}',
	};
	const {status, body} = await gateway.port.recoverDelivery('hook', event);
	expect([status, JSON.parse(body)]).toEqual([
		202,
		{status: 'accepted', route: 'hook', event: 'push', delivery_id: 'missed-1'},
	]);
	expect((await gateway.ended(1)).plan.prompt).toBe('Hook Alex');
	const again = await gateway.port.recoverDelivery('hook', event);
	expect(JSON.parse(again.body)).toEqual({status: 'duplicate', delivery_id: 'missed-1'});
	const late = await gateway.send('hook', {name: 'Alex'}, {'x-github-delivery': 'missed-1'});
	expect(late.json).toMatchObject({status: 'duplicate'});
	expect(await gateway.port.listDeliveries({limit: 9, outcomes: ['accepted']})).toMatchObject([
		{idSource: 'recovered', deliveryId: 'missed-1'},
	]);
	await expect(gateway.port.recoverDelivery('nobody', event)).rejects.toMatchObject({
		code: 'route_not_found',
	});
});

test('nothing is recovered while the receiver does not listen', async () => {
	await using gateway = await startTestGateway({
		config: {platforms: {webhook: {enabled: false}}},
		subscriptions,
	});
	await expect(
		gateway.port.recoverDelivery('hook', {delivery_id: 'a', headers: {}, body: '{}'}),
	).rejects.toMatchObject({code: 'webhook_not_listening'});
});

test('deliveries of another gateway are imported as they were, run nothing, and can be replayed', async () => {
	await using from = await startTestGateway({subscriptions});
	await from.send(
		'hook',
		{name: 'Alex'},
		{'x-github-delivery': 'theirs', authorization: 'Bearer x'},
	);
	await from.ended(1);
	const [known] = await from.port.listDeliveries({limit: 1});
	const theirs = await from.port.getDelivery(known?.id ?? '');
	if (!theirs) {
		throw new Error('there is no delivery');
	}

	await using home = await gatewayHome({subscriptions});
	await using gateway = await startTestGateway({home});
	expect(await gateway.port.importDeliveries({deliveries: [theirs, theirs]})).toBe(2);
	const [imported, , ...more] = await gateway.port.listDeliveries({limit: 9});
	expect(more).toEqual([]);
	const {id, runId, ...rest} = theirs;
	expect(await gateway.port.getDelivery(imported?.id ?? '')).toMatchObject({
		...rest,
		idSource: 'import',
		body: theirs.body,
	});
	expect(imported).not.toHaveProperty('runId');
	expect(imported?.id).not.toBe(id);
	expect(runId).toBe(1);
	await gateway.gateway.idle();
	expect(await gateway.port.listRuns({limit: 9})).toEqual([]);
	expect(gateway.port.getState()).toMatchObject({
		deliveries: [{delivery: {idSource: 'import'}}, {}],
		totals: {received: 0, ok: 0},
	});

	// The identifier is not taken: the sender may still deliver it.
	const own = await gateway.send('hook', {name: 'Alex'}, {'x-github-delivery': 'theirs'});
	expect(own.json).toMatchObject({status: 'accepted'});
	expect((await gateway.port.replay(imported?.id ?? '')).status).toBe(202);
	expect((await gateway.ended(2)).plan.prompt).toBe('Hook Alex');
});

test('an import that holds nonsense is refused whole, one with hostile text is cleaned', async () => {
	await using gateway = await startTestGateway();
	const good = {
		...makeDelivery({route: 'evil\u001B[31m\u202E'}),
		headers: {'x-evil': 'a', 'user-agent': 'b\nc'},
	};
	for (const [key, value] of [
		['status', 'fine'],
		['receivedAt', -1],
		['receivedAt', Number.MAX_SAFE_INTEGER],
		['receivedAt', Date.now() + 25 * 3_600_000],
	] as const) {
		const bad = {...good, [key]: value} as never;
		await expect(gateway.port.importDeliveries({deliveries: [good, bad]})).rejects.toMatchObject({
			code: 'delivery_invalid',
			message: expect.stringContaining(key),
		});
	}

	expect(await gateway.port.listDeliveries({limit: 9})).toEqual([]);

	await gateway.port.importDeliveries({deliveries: [good]});
	const [imported] = await gateway.port.listDeliveries({limit: 9});
	expect(imported?.route).toBe('evil␛[31m\\u{202e}');
	expect((await gateway.port.getDelivery(imported?.id ?? ''))?.headers).toEqual({
		'user-agent': 'b␊c',
	});
});
