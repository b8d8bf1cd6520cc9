import {homePaths} from '../../../source/config/home-paths.ts';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {type Clock, systemClock} from '../../../source/core/clock.ts';
import type {JsonValue} from '../../../source/core/json.ts';
import {createLogger, type LogRecord} from '../../../source/core/log.ts';
import {createRedact} from '../../../source/core/redact.ts';
import type {ServerView} from '../../../source/core/tool-server.ts';
import type {ServerManagerDependencies} from '../../../source/mcp/contract.ts';
import {createServerManager} from '../../../source/mcp/manager/server-manager.ts';
import type {TransportFactory} from '../../../source/mcp/wire/transport-factory.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';

export const never = new AbortController().signal;

/** Servers by their names. */
export const byName = (...servers: readonly ToolServerConfig[]) =>
	new Map(servers.map(server => [server.name, server]));

/** A manager with files of its own, and what it told. */
export async function openManager({
	transports,
	home,
	clock = systemClock,
	environment = {},
	...others
}: Partial<Omit<ServerManagerDependencies, 'environment'>> & {
	readonly transports: TransportFactory;
	readonly home?: TemporaryHome;
	readonly clock?: Clock;
	readonly environment?: Readonly<Record<string, string>>;
}) {
	const stack = new AsyncDisposableStack();
	const folder = home ?? stack.use(await temporaryHome());
	const records: LogRecord[] = [];
	const told: ServerView[] = [];
	const removed: string[] = [];
	const none: readonly string[] = [];
	const redact = createRedact(() => none);
	const manager = stack.use(
		createServerManager({
			clock,
			log: createLogger({clock, redact, write: record => records.push(record)}, 'mcp'),
			redact,
			profile: 'default',
			paths: homePaths({environment: {SVC_HOME: folder.path}}),
			environment: () => environment,
			workdir: () => undefined,
			transports,
			elicit: async () => ({action: 'cancel'}),
			onChange: view => told.push(view),
			onRemoved: name => removed.push(name),
			...others,
		}),
	);
	const view = (name: string) => {
		const found = manager.views().find(each => each.name === name);
		if (!found) {
			throw new Error(`no server ${name}`);
		}

		return found;
	};

	const tool = (server: string, name: string) => {
		const found = manager
			.tools()
			.get(server)
			?.find(each => each.asked?.tool === name || each.name.endsWith(`__${name}`));
		if (!found) {
			throw new Error(`no tool ${name}`);
		}

		return found;
	};

	return {
		manager,
		records,
		told,
		removed,
		view,
		tool,
		/** Takes servers over and waits until they have connected or failed. */
		async use(...servers: readonly ToolServerConfig[]) {
			await manager.apply(byName(...servers));
			await manager.ready(never);
		},
		call: async (server: string, name: string, args: JsonValue = {}) =>
			tool(server, name).execute(args, {signal: never}),
		names: (server: string) => (manager.tools().get(server) ?? []).map(({name}) => name),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}
