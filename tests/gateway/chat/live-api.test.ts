import {once} from 'node:events';
import {createServer} from 'node:net';
import {expect, test} from 'vitest';
import {createApiServer} from '../../../source/api/api-server.ts';
import {openKeyDesk} from '../../../source/api/keys/key-desk.ts';
import {apiSettings} from '../../../source/config/api-settings.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createLiveApi} from '../../../source/gateway/chat/open-api.ts';
import {createSharedMemory} from '../../../source/store/shared-memory.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const log = silentLogger;

async function openApi({
	port = 0,
	enabled = true,
	broken,
}: {port?: number; enabled?: boolean; broken?: string} = {}) {
	const clock = createFakeClock();
	const {promise: told, resolve: tell} = Promise.withResolvers<void>();
	const states: string[] = [];
	const shared = createSharedMemory(clock);
	const keys = await openKeyDesk({
		clock,
		log,
		limits: shared.limits.keys,
		events: shared.events,
		keys: {
			list: async () => [],
			usesSince: async () => [],
			totals: async () => [],
			put: async () => [],
			async add() {},
		},
	});
	const live = createLiveApi({
		clock,
		log,
		emit(event: GatewayEvent) {
			if (event.type === 'api-changed') {
				states.push(event.api.state);
				if (event.api.state === 'listening') {
					tell();
				}
			}
		},
		config: () => ({...apiSettings.read({port, host: '127.0.0.1'}), enabled}),
		brokenBy: () => broken,
		create: async address =>
			createApiServer(
				{
					clock,
					log,
					keys,
					endpoints: [],
					limits: () => ({maxBodyBytes: 1000, corsOrigins: []}),
				},
				address,
			),
	});
	return {
		live,
		clock,
		states,
		told,
		async [Symbol.asyncDispose]() {
			await live[Symbol.asyncDispose]();
			await keys[Symbol.asyncDispose]();
		},
	};
}

test('a port that was taken is tried again every fifteen seconds, until it is free', async () => {
	const other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	const address = other.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	await using api = await openApi({port});
	await api.live.start();
	expect(api.states).toEqual(['refused']);
	await new Promise(resolve => {
		other.close(resolve);
	});
	api.clock.advance(14_999);
	expect(api.live.listensOn()).toBeUndefined();
	api.clock.advance(1);
	await api.told;
	expect(api.states).toEqual(['refused', 'listening']);
	expect(api.live.listensOn()?.port).toBe(port);
});

test('one that is closed while its port is taken tries no more', async () => {
	const other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	const address = other.address();
	const api = await openApi({port: typeof address === 'object' && address ? address.port : 0});
	await api.live.start();
	await api[Symbol.asyncDispose]();
	expect(api.states).toEqual(['refused', 'closed']);
	expect(api.clock.timersLeft).toBe(0);
	other.close();
});

test('one that is switched off says so, whatever else is wrong with the configuration', async () => {
	await using api = await openApi({enabled: false, broken: 'config.yaml:1:1: no YAML'});
	await api.live.start();
	expect(api.states).toEqual(['disabled']);
});
