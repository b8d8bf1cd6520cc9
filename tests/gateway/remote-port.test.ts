import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import {callControl} from '../../source/gateway/control/control-client.ts';
import {connectGateway} from '../../source/gateway/control/remote-port.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {advanceUntil, gatewayHome, startTestGateway, stateWhere} from '../helpers/gateway.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

const subscriptions = {hook: {prompt: 'Say what {name} did'}};

test('an attached face and the gateway itself see and say the same', async () => {
	await using gateway = await startTestGateway({subscriptions});
	await gateway.send('hook', {name: 'Alex'});
	await gateway.until(({runs: [run]}) => run?.state === 'done');
	const local = gateway.port;
	await using remote = await connectGateway({clock: systemClock}, {socket: gateway.paths.socket});
	const {health: _, ...shown} = remote.getState();
	const {health: __, ...known} = local.getState();
	expect(shown).toEqual(JSON.parse(JSON.stringify(known)));
	expect([local.embedded, remote.embedded]).toEqual([true, false]);

	const [delivery] = await remote.listDeliveries({limit: 10});
	const id = delivery?.id ?? '';
	expect(await remote.listDeliveries({limit: 10, route: 'hook'})).toEqual([delivery]);
	expect(await remote.getDelivery(id)).toEqual(await local.getDelivery(id));
	expect(Buffer.from((await remote.getDelivery(id))?.body ?? []).toString()).toBe(
		'{"name":"Alex"}',
	);
	expect(await remote.getDelivery('zzzzzzzz')).toBeUndefined();
	expect(await remote.listRuns({limit: 10, states: ['done']})).toEqual(
		await local.listRuns({limit: 10, states: ['done']}),
	);
	expect(await remote.listRuns({limit: 10, before: 1})).toEqual([]);
	expect(await remote.getRun(1)).toEqual(await local.getRun(1));
	expect(await remote.getRun(99)).toBeUndefined();
	expect(await remote.planReplay(id)).toEqual(await local.planReplay(id));
	expect((await remote.replay(id, {body: '{"name":"Sam"}'})).status).toBe(202);
	expect((await remote.sendTestEvent('hook')).status).toBe(202);
	expect(await remote.curlLine('hook')).toBe(await local.curlLine('hook'));
	expect(await remote.cancelRun(1)).toBe(false);
	expect(await remote.retryRun(1)).toBe(false);
	await remote.reload();
	await remote.restartReceiver();
	await gateway.gateway.idle();
	expect(await remote.status()).toEqual(await local.status());
	expect(await remote.stopConsequences()).toEqual({
		activeRuns: 0,
		queuedRuns: 0,
		pendingGroups: 0,
	});
	for (const port of [local, remote]) {
		await expect(port.useModel('openai')).rejects.toMatchObject({code: 'model_not_offered'});
		await expect(port.planReplay('zzzzzzzz')).rejects.toMatchObject({code: 'delivery_not_found'});
		await expect(port.sendTestEvent('nobody')).rejects.toMatchObject({code: 'route_not_found'});
	}
});

test('groups, jobs, imports and recoveries are the same from outside', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {...subscriptions, group: {prompt: 'x', coalesce: {key: 'id'}}},
	});
	await gateway.home.write(
		'cron/jobs.json',
		JSON.stringify({
			jobs: [{id: 'job_yearly00', name: 'yearly', schedule: '0 0 1 1 *', prompt: 'x'}],
		}),
	);
	const local = gateway.port;
	await using remote = await connectGateway({clock: systemClock}, {socket: gateway.paths.socket});
	await remote.reload();
	await gateway.send('group', {id: 1});
	expect(await remote.listGroups({state: 'pending', limit: 10})).toEqual(
		await local.listGroups({state: 'pending', limit: 10}),
	);
	expect(await remote.getGroup(1)).toEqual(await local.getGroup(1));
	expect(await remote.getGroup(9)).toBeUndefined();
	expect(await remote.stopConsequences()).toMatchObject({pendingGroups: 1});
	expect(await remote.dispatchGroup(1)).toBe(true);
	expect(await remote.dispatchGroup(1)).toBe(false);
	await gateway.ended(1);

	expect(await remote.listJobs()).toEqual(await local.listJobs());
	const {runId} = await remote.runJob('yearly', {profile: 'default'});
	await gateway.ended(runId);
	expect(await remote.listRuns({job: 'job_yearly00', limit: 9})).toHaveLength(1);
	await remote.setJobPaused('yearly', {paused: true});
	expect(await remote.listJobs()).toMatchObject([{state: 'paused'}]);

	const [known] = await remote.listDeliveries({limit: 1, outcomes: ['coalesced']});
	const stored = await remote.getDelivery(known?.id ?? '');
	const many = Array.from({length: 120}, () => stored).filter(delivery => delivery !== undefined);
	expect(await remote.importDeliveries({deliveries: many})).toBe(120);
	expect(await remote.importDeliveries({deliveries: []})).toBe(0);
	expect(await remote.planReplay(known?.id ?? '', {route: 'hook'})).toMatchObject({route: 'hook'});
	const {body} = await remote.recoverDelivery('hook', {
		delivery_id: 'missed',
		headers: {},
		body: '{"name":"Alex"}',
	});
	expect(JSON.parse(body)).toMatchObject({delivery_id: 'missed'});
	await gateway.gateway.idle();
	expect(await remote.status()).toEqual(await local.status());
	for (const port of [local, remote]) {
		await expect(port.runJob('nobody')).rejects.toMatchObject({code: 'job_not_found'});
		await expect(port.setJobPaused('nobody', {paused: true})).rejects.toMatchObject({
			code: 'job_not_found',
		});
		await expect(
			port.importDeliveries({deliveries: many.slice(0, 1).map(one => ({...one, status: 7}))}),
		).rejects.toMatchObject({code: 'delivery_invalid'});
	}
});

test('an operation that an older gateway does not have is an error, not nothing', async () => {
	await using gateway = await startTestGateway();
	await expect(callControl(gateway.paths.socket, '/v1/later')).rejects.toMatchObject({
		code: 'unknown_url',
	});
});

test('the state of an attached face follows, event by event', async () => {
	await using gateway = await startTestGateway({subscriptions});
	await using remote = await connectGateway({clock: systemClock}, {socket: gateway.paths.socket});
	const events: GatewayEvent[] = [];
	remote.subscribe(batch => {
		events.push(...batch);
	});
	await gateway.send('hook', {name: 'Alex'});
	const state = await stateWhere(remote, ({runs: [run]}) => run?.state === 'done');
	expect(state.deliveries.map(({delivery}) => delivery.route)).toEqual(['hook']);
	expect(state.runs).toEqual(gateway.port.getState().runs);
	expect(events.map(({type}) => type)).toContain('run-progressed');
});

test('a gateway that goes away is shown as lost, and taken up again when it is back', async () => {
	await using home = await gatewayHome({subscriptions});
	const clock = createFakeClock();
	const first = await startTestGateway({home});
	await first.send('hook', {name: 'Alex'});
	await first.until(({runs: [run]}) => run?.state === 'done');
	await using remote = await connectGateway({clock}, {socket: first.paths.socket});
	await first[Symbol.asyncDispose]();
	const lost = await stateWhere(remote, ({gateway}) => !gateway.reachable);
	expect(lost.runs).toHaveLength(1);
	await expect(remote.status()).rejects.toMatchObject({code: 'gateway_not_running'});

	// Nobody is there yet at the first tries.
	for (let count = 0; count < 3; count++) {
		clock.advance(2000);
		await turn();
	}

	await using second = await startTestGateway({home});
	const back = advanceUntil(
		stateWhere(remote, ({gateway}) => gateway.reachable),
		clock,
	);
	expect((await back).runs).toEqual(second.port.getState().runs);
	await second.send('hook', {name: 'Sam'});
	await stateWhere(remote, ({runs}) => runs.length === 2);
});

test('without a gateway there is nothing to attach to', async () => {
	await using home = await temporaryHome({'a-file': ''});
	for (const name of ['nothing', 'a-file']) {
		await expect(
			connectGateway({clock: systemClock}, {socket: home.file(name)}),
		).rejects.toMatchObject({code: 'gateway_not_running'});
	}
});

test('"stop" from outside drains and ends the gateway', async () => {
	await using gateway = await startTestGateway({subscriptions});
	await using remote = await connectGateway({clock: systemClock}, {socket: gateway.paths.socket});
	await remote.stop();
	await gateway.gateway.stopped;
	const state = await stateWhere(remote, ({gateway: {reachable}}) => !reachable);
	expect(state.gateway.stopping).toBe(true);
});
