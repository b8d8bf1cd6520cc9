import {expect, test} from 'vitest';
import {makeRoute, startReceiver} from './start-receiver.ts';

const event = {
	route: 'hook',
	deliveryId: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
	headers: {'X-GitHub-Event': 'push', 'Content-Type': 'application/json'},
	body: '{"ref":"refs/heads/main"}',
};

test('an event that its sender could not deliver is taken in with the identifier that it had', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({events: ['push'], prompt: '{ref}', rateLimit: 1})],
	});
	await receiver.post({}, {'X-Forge-Event': 'push'});
	const answer = await receiver.receiver.recover(event);
	expect([answer.status, JSON.parse(answer.body)]).toEqual([
		202,
		{status: 'accepted', route: 'hook', event: 'push', delivery_id: event.deliveryId},
	]);
	expect(receiver.last()).toMatchObject({idSource: 'recovered', deliveryId: event.deliveryId});
	expect(receiver.last()).not.toHaveProperty('replayOf');
	expect(receiver.step('signature')).toBe('fetched from its sender');
	expect(receiver.step('rate')).toBe('fetched from its sender: spends no quota');
	const run = await receiver.store.runs.get(receiver.woken[1] ?? 0);
	expect(run?.plan.prompt).toBe('refs/heads/main');
	expect((await receiver.stored()).headers).toMatchObject({'x-github-event': 'push'});
});

test('a duplicate answers so, whichever way the first one came', async () => {
	await using receiver = await startReceiver();
	const duplicate = {status: 'duplicate', delivery_id: event.deliveryId};
	await receiver.post({}, {'X-GitHub-Delivery': event.deliveryId});
	const fetched = await receiver.receiver.recover(event);
	expect([fetched.status, JSON.parse(fetched.body)]).toEqual([200, duplicate]);

	await receiver.receiver.recover({...event, deliveryId: 'other'});
	const sent = await receiver.post({}, {'X-GitHub-Delivery': 'other'});
	expect(sent.json).toEqual({status: 'duplicate', delivery_id: 'other'});
});

test('an identifier that is too long to be kept is the same one in a header and from the sender', async () => {
	await using receiver = await startReceiver();
	await receiver.post({}, {'X-GitHub-Delivery': 'x'.repeat(300)});
	const answer = await receiver.receiver.recover({...event, deliveryId: 'x'.repeat(300)});
	expect(JSON.parse(answer.body)).toMatchObject({status: 'duplicate'});
});

test('events, filters and body are looked at as ever; the route has to exist', async () => {
	await using receiver = await startReceiver({
		routes: [
			makeRoute({events: ['issues']}),
			makeRoute({name: 'filtered', filters: [{field: 'x', exists: true}]}),
		],
	});
	const statusOf = async (change: Partial<typeof event>) => {
		const {status, body} = await receiver.receiver.recover({...event, ...change});
		return [status, JSON.parse(body)] as const;
	};

	expect(await statusOf({})).toEqual([200, {status: 'ignored', event: 'push', route: 'hook'}]);
	expect(await statusOf({route: 'filtered'})).toEqual([
		200,
		{status: 'ignored', reason: 'filter', route: 'filtered'},
	]);
	expect(await statusOf({body: '{'})).toEqual([400, {error: 'Malformed JSON body'}]);
	await expect(receiver.receiver.recover({...event, route: 'nobody'})).rejects.toMatchObject({
		code: 'route_not_found',
		message: 'Cannot send to "nobody": there is no such route',
	});
});

test('while the receiver drains nothing is taken in', async () => {
	await using receiver = await startReceiver();
	const closing = receiver.receiver.close();
	const answer = await receiver.receiver.recover(event);
	expect([answer.status, JSON.parse(answer.body)]).toEqual([503, {error: 'Gateway is stopping'}]);
	receiver.clock.advance(6000);
	await closing;
});
