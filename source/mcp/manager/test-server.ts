import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {TestedServer} from '../../core/tool-server.ts';
import type {Pins} from '../catalogue/pins.ts';
import {createCallQueue} from '../connection/call-queue.ts';
import type {ServerManagerDependencies} from '../contract.ts';
import {ConnectError} from '../wire/connect-error.ts';
import {createToolServer} from './tool-server.ts';

/**
 * Connects to a server beside whatever is connected, lists its tools, and leaves. Remembers nothing of it.
 *
 * @throws ConnectError
 */
export async function testToolServer(
	config: ToolServerConfig,
	dependencies: ServerManagerDependencies & {readonly pins: Pins},
): Promise<TestedServer> {
	const {clock, pins} = dependencies;
	const start = clock.monotonic();
	await using server = createToolServer(
		{...config, enabled: true, lazy: false},
		{
			...dependencies,
			pins: {...pins, remember: async () => {}},
			cache: {get: () => undefined, put: async () => {}},
			slots: createCallQueue(1),
			random: Math.random,
			taken: () => new Set(),
			onReserve() {},
			onChange() {},
		},
	);
	server.start();
	await server.tried();
	const failure = server.failure();
	if (failure) {
		throw new ConnectError(failure);
	}

	return {server: server.view(), durationMs: clock.monotonic() - start};
}
