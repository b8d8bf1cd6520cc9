import {expect, test} from 'vitest';
import {createFakeClock, type FakeClock} from '../helpers/fake-clock.ts';
import {startGatewayProcess} from '../helpers/gateway-process.ts';
import {gatewayHome, startTestGateway, testConfig, type TestGateway} from '../helpers/gateway.ts';
import {post} from '../helpers/post.ts';
import {startScriptedModel, type ScriptedModel} from '../helpers/scripted-model.ts';
import {startMs} from '../store/samples.ts';

const review = {
	prompt: 'Review {number}: {title}',
	deliver_extra: {note: '{title}'},
	coalesce: {key: '{repository}#{number}', window_seconds: 30, max_wait_seconds: 300},
};

const event = (title: string, number = 7) => ({repository: 'acme/api', number, title});

const modelOf = ({baseUrl}: ScriptedModel) => ({
	provider: 'openai-compatible',
	name: 'scripted-1',
	base_url: baseUrl,
});

async function openGateway({
	clock = createFakeClock(startMs),
	answers = 9,
}: {readonly clock?: FakeClock; readonly answers?: number} = {}) {
	const stack = new AsyncDisposableStack();
	const model = stack.use(
		await startScriptedModel(
			Array.from({length: answers}, (_, index) => ({text: `Answer ${index}`})),
		),
	);
	const home = stack.use(
		await gatewayHome({
			config: {model: modelOf(model)},
			subscriptions: {review, plain: {prompt: 'x'}},
		}),
	);
	const gateway = stack.use(await startTestGateway({home, clock}));
	return {
		...gateway,
		home,
		clock,
		model,
		prompts: () => model.requests.map(({body}) => body.messages.at(-1).content as string),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

const groupsOf = ({port}: Pick<TestGateway, 'port'>) =>
	port.getState().groups.map(({state, count, reason}) => ({state, count, reason}));

test('"window_seconds pass with no new event: one agent run with the latest event\'s payload", and a note that counts the superseded', async () => {
	await using gateway = await openGateway();
	const answer = await gateway.send('review', event('first'), {'x-github-delivery': 'one'});
	expect(answer.status).toBe(202);
	expect(answer.json).toEqual({
		status: 'coalesced',
		route: 'review',
		event: 'push',
		delivery_id: 'one',
	});
	gateway.clock.advance(29_000);
	await gateway.send('review', event('second'));
	gateway.clock.advance(29_000);
	await gateway.send('review', event('third'));
	await gateway.until(({groups: [group]}) => group?.count === 3);
	expect(gateway.port.getState()).toMatchObject({
		groups: [
			{state: 'pending', key: 'acme/api#7', quietAt: startMs + 88_000, capAt: startMs + 300_000},
		],
		runs: [],
	});
	expect(await gateway.port.stopConsequences()).toEqual({
		activeRuns: 0,
		queuedRuns: 0,
		pendingGroups: 1,
	});

	gateway.clock.advance(29_999);
	await gateway.gateway.idle();
	expect(gateway.prompts()).toEqual([]);
	gateway.clock.advance(1);
	const run = await gateway.ended(1);
	expect(gateway.prompts()).toEqual([
		'Review 7: third\n\n[2 earlier events for this key were superseded by this one]',
	]);
	expect(run).toMatchObject({
		state: 'done',
		superseded: 2,
		group: 1,
		plan: {target: {extra: {note: 'third'}}},
	});
	expect(groupsOf(gateway)).toEqual([{state: 'dispatched', count: 3, reason: 'quiet'}]);
	const {deliveries, groups} = gateway.port.getState();
	expect(run.delivery).toBe(deliveries.at(-1)?.delivery.id);
	expect(groups[0]).toMatchObject({runId: 1, latest: run.delivery});
	expect((await gateway.port.getGroup(1))?.members.map(({deliveryId}) => deliveryId)[0]).toBe(
		'one',
	);
});

test('"max_wait_seconds since first event elapse": a key that is never quiet runs all the same', async () => {
	await using gateway = await openGateway();
	for (let count = 0; count < 15; count++) {
		await gateway.send('review', event(`number ${count}`));
		gateway.clock.advance(20_000);
	}

	await gateway.ended(1);
	expect(gateway.prompts()).toEqual([
		'Review 7: number 14\n\n[14 earlier events for this key were superseded by this one]',
	]);
	expect(groupsOf(gateway)).toEqual([{state: 'dispatched', count: 15, reason: 'cap'}]);
});

test('one event alone becomes a run without a note, and other keys wait for themselves', async () => {
	await using gateway = await openGateway();
	await gateway.send('review', event('seven', 7));
	gateway.clock.advance(10_000);
	await gateway.send('review', event('eight', 8));
	gateway.clock.advance(20_000);
	await gateway.ended(1);
	expect(gateway.prompts()).toEqual(['Review 7: seven']);
	gateway.clock.advance(10_000);
	await gateway.ended(2);
	expect(gateway.prompts()).toEqual(['Review 7: seven', 'Review 8: eight']);
});

test('"key does not resolve: dispatched immediately, not coalesced"', async () => {
	await using gateway = await openGateway();
	const answer = await gateway.send('review', {title: 'no number'});
	expect(answer.json).toMatchObject({status: 'accepted'});
	expect((await gateway.ended(1)).plan.prompt).toBe('Review {number}: no number');
	const {groups, deliveries} = gateway.port.getState();
	expect(groups).toEqual([]);
	expect(deliveries[0]?.delivery.trace.at(-1)?.detail).toContain(
		'key missing: {repository} {number}',
	);
});

test('a person starts a pending group now, once', async () => {
	await using gateway = await openGateway();
	await gateway.send('review', event('first'));
	expect(await gateway.port.dispatchGroup(1)).toBe(true);
	await gateway.ended(1);
	expect(groupsOf(gateway)).toEqual([{state: 'dispatched', count: 1, reason: 'person'}]);
	expect(await gateway.port.dispatchGroup(1)).toBe(false);
	expect(await gateway.port.dispatchGroup(99)).toBe(false);

	await gateway.send('review', event('second'));
	await gateway.until(({groups: [group]}) => group?.state === 'pending');
	expect(gateway.port.getState().groups[0]).toMatchObject({id: 2, count: 1});
});

test('"adapter disconnects (gateway stop): flushed immediately", and what is free begins before the end', async () => {
	await using model = await startScriptedModel([{text: 'Answer'}]);
	await using home = await gatewayHome({config: {model: modelOf(model)}, subscriptions: {review}});
	const gateway = await startTestGateway({home});
	await gateway.send('review', event('first'));
	await gateway.send('review', event('second'));
	await gateway[Symbol.asyncDispose]();

	expect(model.requests).toHaveLength(1);
	expect(gateway.port.getState()).toMatchObject({
		groups: [{state: 'dispatched', reason: 'stop', count: 2}],
		runs: [{id: 1, state: 'done', superseded: 1}],
	});
});

test('a run that the stop cut off is run again after the next start', async () => {
	await using model = await startScriptedModel([{hang: true}, {text: 'Answer'}]);
	const config = {model: modelOf(model), runs: {concurrency: 1}};
	await using home = await gatewayHome({config, subscriptions: {review}});
	const clock = createFakeClock(startMs);
	const first = await startTestGateway({home, clock});
	await first.send('review', event('seven', 7));
	await first.send('review', event('eight', 8));
	await first[Symbol.asyncDispose]();
	expect(first.port.getState().groups.map(({reason}) => reason)).toEqual(['stop', 'stop']);
	expect(model.requests).toHaveLength(1);

	model.push({text: 'Another answer'});
	await using second = await startTestGateway({home, clock});
	expect([await second.ended(1), await second.ended(2)]).toMatchObject([
		{state: 'done', plan: {prompt: 'Review 7: seven'}},
		{state: 'done', plan: {prompt: 'Review 8: eight'}},
	]);
});

test('a receiver that is switched off in the file hands its groups over', async () => {
	await using gateway = await openGateway();
	await gateway.send('review', event('first'));
	await gateway.home.write(
		'config.yaml',
		testConfig({model: modelOf(gateway.model), platforms: {webhook: {enabled: false}}}),
	);
	const reloaded = gateway.port.reload();
	gateway.clock.advance(10_000);
	await reloaded;
	await gateway.ended(1);
	expect(groupsOf(gateway)).toEqual([{state: 'dispatched', count: 1, reason: 'stop'}]);
	expect(gateway.port.getState().webhook.state).toBe('disabled');
});

test('"Whatever was answered 202 survives kill -9: groups": one whose time was over meanwhile runs at once', async () => {
	await using model = await startScriptedModel([{text: 'Answer'}]);
	await using home = await gatewayHome({config: {model: modelOf(model)}, subscriptions: {review}});
	{
		await using killed = await startGatewayProcess(home.path);
		for (const title of ['first', 'second']) {
			const answer = await post(`${killed.url}/webhooks/review`, {payload: event(title)});
			expect(answer.json).toMatchObject({status: 'coalesced'});
		}
	}

	// Time stands still after the start: nothing but the start itself makes the group due.
	const clock = createFakeClock(Date.now() + 60_000);
	await using gateway = await startTestGateway({home, clock});
	expect(await gateway.ended(1)).toMatchObject({
		state: 'done',
		plan: {
			prompt: 'Review 7: second\n\n[1 earlier event for this key was superseded by this one]',
		},
	});
	expect(groupsOf(gateway)).toEqual([{state: 'dispatched', count: 2, reason: 'quiet'}]);
});

test('a group that still had to wait when the process was killed waits on, and takes more events', async () => {
	await using model = await startScriptedModel([{text: 'Answer'}]);
	await using home = await gatewayHome({config: {model: modelOf(model)}, subscriptions: {review}});
	{
		await using killed = await startGatewayProcess(home.path);
		await post(`${killed.url}/webhooks/review`, {payload: event('first')});
	}

	const clock = createFakeClock(Date.now());
	await using gateway = await startTestGateway({home, clock});
	expect(groupsOf(gateway)).toEqual([{state: 'pending', count: 1}]);
	expect(gateway.log.join('\n')).toMatch(/note +\w+ +1 group of events waited/);
	await gateway.send('review', event('second'));
	clock.advance(30_000);
	expect((await gateway.ended(1)).superseded).toBe(1);
});

test('"Duplicate rule holds for coalesced events too"', async () => {
	await using gateway = await openGateway();
	await gateway.send('review', event('first'), {'x-github-delivery': 'one'});
	const again = await gateway.send('review', event('first'), {'x-github-delivery': 'one'});
	expect(again.json).toEqual({status: 'duplicate', delivery_id: 'one'});
	await gateway.until(({deliveries}) => deliveries.length === 2);
	expect(groupsOf(gateway)).toEqual([{state: 'pending', count: 1}]);
});

test('a route that was removed or edited while a group waits changes nothing for it', async () => {
	await using gateway = await openGateway();
	await gateway.send('review', event('first'));
	await gateway.home.write('webhook_subscriptions.json', '{}');
	await gateway.port.reload();
	expect((await gateway.send('review', event('second'))).status).toBe(404);
	gateway.clock.advance(30_000);
	expect((await gateway.ended(1)).plan.prompt).toBe('Review 7: first');
});
