import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, test} from 'vitest';
import type {Config} from '../../source/config/config.ts';
import {systemClock} from '../../source/core/clock.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import {silentLogger} from '../../source/core/log.ts';
import {createLiveModel} from '../../source/gateway/live-model.ts';

type Chosen = Pick<Config, 'model' | 'environment'>;

const auto: Chosen = {model: {provider: 'auto', allowOfflineDelivery: false}, environment: {}};

const configured: Chosen = {
	model: {
		provider: 'openai-compatible',
		name: 'gpt-x',
		baseUrl: 'http://127.0.0.1:1/v1',
		allowOfflineDelivery: false,
	},
	environment: {},
};

/** A model server that keeps who asks for its models waiting until it is released. */
async function openSlowServer(models: readonly string[] = []) {
	const asked = Promise.withResolvers<void>();
	const released = Promise.withResolvers<void>();
	const server = createServer((_request, response) => {
		asked.resolve();
		const data = models.map(id => ({id}));
		void released.promise.then(() => response.end(JSON.stringify({data})));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		asked: asked.promise,
		release: released.resolve,
		async [Symbol.asyncDispose]() {
			released.resolve();
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}

function openModel(localServer: string) {
	let config = auto;
	const events: GatewayEvent[] = [];
	const live = createLiveModel({
		config: () => config as Config,
		clock: systemClock,
		modelFetch: {fetch},
		localServers: [localServer],
		emit: event => {
			events.push(event);
		},
		redact: text => text,
		log: silentLogger,
	});
	return {
		live,
		set(next: Chosen) {
			config = next;
		},
		names: () =>
			events.map(event => (event.type === 'model-selected' ? event.model.name : event.type)),
	};
}

test('a slow look that a change of the file has overtaken is not reported', async () => {
	await using server = await openSlowServer();
	const model = openModel(server.url);
	const {live, names} = model;
	const slow = live.choose();
	await server.asked;

	model.set(configured);
	await live.choose();
	server.release();
	await slow;

	expect(names()).toEqual(['gpt-x']);
	expect((await live.current()).view.name).toBe('gpt-x');
});

test('a look that ends after the gateway says nothing', async () => {
	await using server = await openSlowServer();
	const {live, names} = openModel(server.url);
	const slow = live.choose();
	await server.asked;

	live[Symbol.dispose]();
	server.release();
	await slow;

	expect(names()).toEqual([]);
});

test('a run may name another model of the configured provider; the choice itself stays', async () => {
	await using server = await openSlowServer();
	const model = openModel(server.url);
	model.set(configured);
	const {live, names} = model;
	expect((await live.current('gpt-y')).view).toEqual({
		provider: 'openai-compatible',
		name: 'gpt-y',
		origin: 'configured',
	});
	expect((await live.current()).view.name).toBe('gpt-x');
	expect(names()).toEqual(['gpt-x']);
});

test('"offline stays offline", configured or for want of a model', async () => {
	await using server = await openSlowServer();
	server.release();
	const model = openModel(server.url);
	expect((await model.live.current('gpt-y')).view.name).toBe('svc-offline-1');
	model.set({...auto, model: {provider: 'offline', allowOfflineDelivery: false}});
	await model.live.choose();
	expect((await model.live.current('gpt-y')).view.name).toBe('svc-offline-1');
});

test('a model that was found on this machine is exchanged for another that is there, and for no other', async () => {
	await using server = await openSlowServer(['small', 'large']);
	server.release();
	const {live} = openModel(server.url);
	expect((await live.current()).view.name).toBe('small');
	expect((await live.current('large')).view.name).toBe('large');
	await expect(live.current('huge')).rejects.toMatchObject({code: 'model_not_found'});
});
