import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {
	type ScriptedAnswer,
	type ScriptedModel,
	startScriptedModel,
} from '../helpers/scripted-model.ts';
import {startMs} from '../store/samples.ts';

const modelOf = ({baseUrl}: ScriptedModel) => ({
	provider: 'openai-compatible',
	name: 'scripted-1',
	base_url: baseUrl,
});

const endedOf = ({port}: Pick<TestGateway, 'port'>) =>
	port
		.getState()
		.runs.filter(({state}) => state === 'done')
		.map(({id}) => id);

const settleDown = async () => {
	for (let count = 0; count < 30; count++) {
		await turn();
	}
};

test('"overflow: queue": above the rate limit the event is accepted and runs in the minute that has room', async () => {
	const clock = createFakeClock(startMs);
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: '{n}', rate_limit: 2, overflow: 'queue'}},
		clock,
	});
	for (let n = 1; n <= 5; n++) {
		expect((await gateway.send('hook', {n})).status).toBe(202);
	}

	await gateway.until(({runs}) => runs.filter(run => run.nextAttemptAt !== undefined).length === 3);
	await gateway.ended(2);
	await gateway.gateway.idle();
	expect(endedOf(gateway)).toEqual([1, 2]);
	const waiting = await gateway.port.listRuns({states: ['queued'], limit: 10});
	const minuteOf = ({nextAttemptAt = 0}) => Math.floor(nextAttemptAt / 60_000);
	const now = minuteOf({nextAttemptAt: startMs});
	expect(waiting.map(run => [run.id, minuteOf(run) - now])).toEqual([
		[5, 2],
		[4, 1],
		[3, 1],
	]);

	// The second and third run of a later minute are spread over it.
	for (let second = 0; second < 60; second++) {
		clock.advance(1000);
		await settleDown();
	}

	await gateway.ended(3);
	expect(endedOf(gateway)).not.toContain(5);
	for (let second = 0; second < 120; second++) {
		clock.advance(1000);
		await settleDown();
	}

	await gateway.ended(5);
	expect(endedOf(gateway)).toEqual([1, 2, 3, 4, 5]);
});

test('"reject (default)": above the rate limit 429 with Retry-After', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: '{n}', rate_limit: 1}},
		clock: createFakeClock(startMs),
	});
	expect((await gateway.send('hook', {n: 1})).status).toBe(202);
	const refused = await gateway.send('hook', {n: 2});
	expect([refused.status, refused.text]).toEqual([429, '{"error":"Rate limit exceeded"}']);
	expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

/** A model whose answers are given by hand, in the order of the calls. */
async function openHeldModel(count: number) {
	const gates = Array.from({length: count}, () => Promise.withResolvers<ScriptedAnswer>());
	const model = await startScriptedModel(gates.map(gate => () => gate.promise));
	return {
		model,
		answer: (index: number) => {
			gates[index]?.resolve({text: `Answer ${index}`});
		},
		release() {
			for (const gate of gates) {
				gate.resolve({text: 'Late'});
			}
		},
		asked: () => model.requests.map(({body}) => body.messages.at(-1).content as string),
		[Symbol.asyncDispose]: async () => model[Symbol.asyncDispose](),
	};
}

test('status, metrics and what faces are told say one number of what is queued, with the reasons, and the age of the oldest', async () => {
	const clock = createFakeClock(startMs);
	await using held = await openHeldModel(3);
	await using gateway = await startTestGateway({
		config: {model: modelOf(held.model), runs: {concurrency: 1}},
		subscriptions: {hook: {prompt: '{n}', rate_limit: 3, overflow: 'queue'}},
		clock,
	});
	for (let n = 1; n <= 5; n++) {
		await gateway.send('hook', {n});
	}

	await gateway.until(({runs}) => runs.some(({state}) => state === 'running'));
	clock.advance(7000);
	const waits = {worker: 2, rateLimit: 2, login: 0, retry: 0};
	const {queue} = await gateway.until(state => state.queue?.waits.worker === 2);
	expect(queue).toEqual({waits, oldestDueAt: startMs, places: {taken: 1, all: 1}});
	expect((await gateway.port.status()).runs).toMatchObject({
		active: 1,
		queued: 4,
		queue: {
			worker: 2,
			rate_limit: 2,
			login: 0,
			retry: 0,
			oldest_due_at: startMs,
			places: 1,
			places_taken: 1,
		},
	});
	const metrics = await fetch(`${gateway.url()}/metrics`, {headers: {connection: 'close'}});
	const lines = (await metrics.text()).split('\n');
	expect(lines).toEqual(
		expect.arrayContaining([
			'svc_runs_queued 4',
			'svc_runs_waiting{for="worker"} 2',
			'svc_runs_waiting{for="rate_limit"} 2',
			'svc_runs_oldest_waiting_seconds 7',
			'svc_runs_places_taken 1',
		]),
	);
	expect(await gateway.port.stopConsequences()).toMatchObject({activeRuns: 1, queuedRuns: 4});
	held.release();
});

const oneAtATime: Readonly<Record<string, JsonObject>> = {
	slow: {prompt: 'slow {n}', concurrency: 1},
	other: {prompt: 'other {n}'},
};

test('"concurrency on a route: runs of it at once"; what waits for it holds up nothing else', async () => {
	await using held = await openHeldModel(4);
	await using gateway = await startTestGateway({
		config: {model: modelOf(held.model), runs: {concurrency: 3}},
		subscriptions: oneAtATime,
	});
	await gateway.send('slow', {n: 1});
	await gateway.send('slow', {n: 2});
	await gateway.send('other', {n: 1});
	await held.model.request(1);
	await settleDown();
	expect(held.asked()).toEqual(['slow 1', 'other 1']);

	held.answer(0);
	await held.model.request(2);
	expect(held.asked()).toEqual(['slow 1', 'other 1', 'slow 2']);
	held.release();
	await gateway.gateway.idle();
});

test('a concurrency that is raised or lowered in the file counts at once', async () => {
	await using held = await openHeldModel(4);
	await using home = await gatewayHome({
		config: {model: modelOf(held.model)},
		subscriptions: oneAtATime,
	});
	await using gateway = await startTestGateway({home});
	for (let n = 1; n <= 4; n++) {
		await gateway.send('slow', {n});
	}

	await held.model.request(0);
	await settleDown();
	expect(held.asked()).toEqual(['slow 1']);
	const subscriptions = JSON.parse(await home.read('webhook_subscriptions.json'));
	subscriptions.slow.concurrency = 3;
	await home.write('webhook_subscriptions.json', JSON.stringify(subscriptions));
	await gateway.port.reload();
	await held.model.request(2);
	expect(held.asked().toSorted()).toEqual(['slow 1', 'slow 2', 'slow 3']);
	held.release();
	await gateway.gateway.idle();
});
