import {openKeyDesk} from '../../source/api/keys/key-desk.ts';
import type {ApiKey, KeyRecord} from '../../source/core/api-key.ts';
import type {Clock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import {createKeyCommands} from '../../source/gateway/commands/key-commands.ts';
import {createSharedMemory} from '../../source/store/shared-memory.ts';
import type {FakePort} from './fake-port.ts';

const unused = {requests: 0, inputTokens: 0, outputTokens: 0};

/** A key with plausible values; `overrides` win. */
export const makeKey = (overrides: Partial<ApiKey> = {}): ApiKey => ({
	id: 'key_0a1B2c3D4e5F',
	name: 'laptop',
	kind: 'live',
	hint: 'svc_live_pdvC…fuC0',
	endpoints: ['chat', 'responses', 'models'],
	models: ['*'],
	agents: true,
	createdAt: Date.parse('2026-11-01T09:00:00Z'),
	usage: {day: unused, period: unused, all: unused},
	...overrides,
});

/** Lets a fake port have real keys, which are kept in memory, with their events. */
export async function withKeys(port: FakePort, clock: Clock) {
	const records = new Map<string, KeyRecord>();
	const shared = createSharedMemory(clock);
	const desk = await openKeyDesk({
		clock,
		limits: shared.limits.keys,
		events: shared.events,
		keys: {
			list: async () => [...records.values()],
			async put(key) {
				records.set(key.id, key);
				return [];
			},
			async add() {},
			usesSince: async () => [],
			totals: async () => [],
		},
		log: silentLogger,
		onChange(keys, gone) {
			port.emit({type: 'keys-changed', at: clock.now(), keys, gone});
		},
	});
	Object.assign(
		port,
		createKeyCommands({
			clock,
			api: {keys: async () => desk},
			live: {current: () => ({api: {keyPrefix: 'svc'}})},
		}),
	);
	return desk;
}
