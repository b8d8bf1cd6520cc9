import type {ToolsChange} from '../../approvals/approvals.ts';
import type {Config} from '../../config/config.ts';
import {invalidServers, serverItem, viewOfInvalidServer} from '../../config/invalid-server.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {type Clock, within} from '../../core/clock.ts';
import {createListeners} from '../../core/derive.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {createMutex} from '../../core/mutex.ts';
import {inServerOrder} from '../../core/reduce-lists.ts';
import type {ServerStatus, ServerView} from '../../core/tool-server.ts';
import type {AskedTool, Tool} from '../../core/tool.ts';
import type {World} from '../../core/world.ts';
import type {PlannedServerChange, ServerManager} from '../../mcp/contract.ts';
import type {ServerKey} from '../../store/port.ts';
import {type OpenManager, createProfileManagers} from './open-manager.ts';
import {
	createServerEventThrottle,
	createServerLog,
	createToolDefinitionNotifier,
} from './server-news.ts';
import {connecting, readyInTime, type ServerWait} from './wait-for-servers.ts';

export type ToolsByServer = ReadonlyMap<string, readonly Tool[]>;

/** The tool servers of every profile that runs are for. */
export type LiveServers = ReturnType<typeof createLiveServers>;

type LiveServersDependencies = Pick<World, 'clock' | 'emit' | 'log'> & {
	readonly config: () => Pick<Config, 'toolServers' | 'profiles' | 'itemErrors'>;
	readonly openManager: OpenManager;
	/** Which definitions the tools of a server have now: rules for others hold no more. Must not throw. */
	readonly onTools: (change: ToolsChange) => void;
};

/**
 * One manager of tool servers for each profile: that of the gateway's own profile from the start, when a server is configured; another one's when a run of it
 * first needs tools. What is not needed is not loaded.
 *
 * @see manual/tool-servers.md#settings, manual/logins.md
 */
export function createLiveServers(world: LiveServersDependencies) {
	const {clock, config, openManager, emit, log, onTools} = world;
	const events = createServerEventThrottle({clock, emit});
	const definitions = createToolDefinitionNotifier(onTools);
	const serverLog = createServerLog(log);
	const standing = createListeners<[server: ServerKey, status: ServerStatus | undefined]>();
	const stands = ({profile, name}: ServerKey, status?: ServerStatus) => {
		standing.tell({profile, name}, status);
	};

	const onChange = (view: ServerView, tools?: readonly Tool[]) => {
		events.changed(view);
		serverLog.changed(view);
		definitions.changed(view, tools);
		stands(view, view.status);
	};

	const managers = createProfileManagers({
		config,
		openManager,
		log,
		onChange,
		onRemoved(server) {
			events.removed(server);
			serverLog.removed(server);
			definitions.removed(server);
			stands(server);
		},
	});
	const invalid = createInvalidServers({
		clock,
		config,
		onChange,
		onRemoved(server) {
			events.removed(server);
			stands(server);
		},
	});
	const oneByOne = createMutex();
	let closed = false;

	const takeOver = async () => {
		if (closed) {
			return;
		}

		invalid.changed();
		const {toolServers, profiles} = config();
		const served = new Set(['default', ...profiles.others.map(({name}) => name)]);
		const opened = managers.opened();
		const missing = toolServers.size > 0 && !opened.has('default') ? ['default'] : [];
		await Promise.all([
			...[...opened].map(async ([profile, manager]) =>
				served.has(profile) ? manager.apply(toolServers) : managers.close(profile),
			),
			// Why one cannot be opened is in the log already.
			...missing.map(async profile => managers.of(profiles.of(profile)).catch(() => undefined)),
		]);
	};

	/** @throws SvcError `server_not_found`, `profile_not_served` */
	const find = async (name: string, profileName = 'default') => {
		const {toolServers, profiles, itemErrors} = config();
		const profile = profiles.of(profileName);
		if (profile.name !== 'default' && !profiles.others.some(other => other.name === profile.name)) {
			throw new SvcError(
				'profile_not_served',
				`Cannot use the tool servers of profile "${profileName}": this gateway does not serve it`,
			);
		}

		const server = serverOf({toolServers, itemErrors}, name);
		return {manager: await managers.of(profile), server};
	};

	return {
		/**
		 * Takes over the configuration as it is now; the first time, connects the servers of the gateway's own profile. Resolves when what had to end has
		 * ended; connections are under way then. Never rejects.
		 */
		changed() {
			return oneByOne(takeOver).catch((error: unknown) => {
				log.error('Cannot take over the tool servers', {error: messageOf(error)});
			});
		},
		/**
		 * The tools that a run of `profile` starts with, by server, in the order of the file. Waits until each needed server that connects by itself has connected or failed once, at
		 * most a minute; the others give what they have. Rejects with the reason of `signal`.
		 */
		async toolsOf(
			profileName: string,
			signal: AbortSignal,
			wait: ServerWait = {},
		): Promise<ToolsByServer> {
			const {toolServers, profiles} = config();
			const profile = profiles.of(profileName);
			if (toolServers.size === 0 || !profile.exists) {
				return new Map();
			}

			const manager = await within(managers.of(profile), signal);
			const isReady = await readyInTime(manager, {...wait, clock, signal});
			if (!isReady) {
				log.warn('A run starts without the tool servers that still connect', {
					profile: profileName,
					servers: connecting(manager, wait).join(', '),
				});
			}

			const tools = manager.tools();
			return new Map(
				[...toolServers.keys(), ...tools.keys()].flatMap(name => {
					const ofServer = tools.get(name);
					return ofServer ? [[name, ofServer] as const] : [];
				}),
			);
		},
		/** By profile, the gateway's own first, and name. Profiles whose servers were not needed yet have none. */
		views: (): readonly ServerView[] =>
			inServerOrder([
				...[...managers.opened().values()].flatMap(manager => manager.views()),
				...invalid.views(),
			]),
		/** Calls `listener`, which must not throw, at each change of how a server stands; `undefined`: it is gone. The function that ends it. */
		watch: standing.subscribe,
		/** @throws SvcError `server_not_found`, `server_disabled`, `profile_not_served` */
		async connect(name: string, profile?: string): Promise<ServerView> {
			const {manager} = await find(name, profile);
			return manager.connect(name);
		},
		/** @throws SvcError as `connect` does */
		async disconnect(name: string, profile?: string): Promise<ServerView> {
			const {manager} = await find(name, profile);
			return manager.disconnect(name);
		},
		/** Connects beside whatever is connected, lists, and leaves. @throws SvcError as `connect` does, and why it failed */
		async test(name: string, profile?: string): ReturnType<ServerManager['test']> {
			const {manager, server} = await find(name, profile);
			return manager.test(server);
		},
		/** A person has allowed a call of the tool as it is defined: it is the known definition from now on. Of a built-in tool, which changes with the program alone, none is kept. Never rejects. */
		async accept({
			profile,
			from,
			tool,
			definition,
		}: Pick<AskedTool, 'profile' | 'from' | 'tool' | 'definition'>) {
			if (from.kind === 'server') {
				const {server} = from;
				await managers.opened().get(profile)?.accept({server, tool, definition});
			}
		},
		/** What `servers` instead of the present ones would change for the gateway's own profile. */
		plan(servers: Config['toolServers']): readonly PlannedServerChange[] {
			const manager = managers.opened().get('default');
			return manager
				? manager.plan(servers)
				: [...servers.keys()].map(name => ({
						name,
						kind: 'added',
						keys: [],
						isOther: false,
						closes: false,
						lostTools: [],
					}));
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			await Promise.all([managers[Symbol.asyncDispose](), oneByOne(async () => {})]);
			events[Symbol.dispose]();
		},
	};
}

/** Tells faces of tool servers that no manager has. */
function createInvalidServers(world: {
	readonly clock: Clock;
	readonly config: () => Pick<Config, 'itemErrors' | 'toolServers'>;
	/** Must not throw. */
	readonly onChange: (view: ServerView) => void;
	/** Not called for one that is mended. Must not throw. */
	readonly onRemoved: (server: ServerKey) => void;
}) {
	const {clock, config, onChange, onRemoved} = world;
	let known: ReadonlyMap<string, ServerView> = new Map();
	return {
		/** Looks at the configuration as it is now, and tells of what is different. */
		changed() {
			const {itemErrors, toolServers} = config();
			const next = new Map(
				[...invalidServers({itemErrors})]
					.filter(([, {kept}]) => !kept)
					.map(([name, itemError]) => {
						const before = known.get(name);
						return [
							name,
							before?.reason === itemError.reason
								? before
								: {...viewOfInvalidServer(name, itemError), since: clock.now()},
						];
					}),
			);
			for (const [name, view] of next) {
				if (known.get(name) !== view) {
					onChange(view);
				}
			}

			for (const [name, {profile}] of known) {
				if (!next.has(name) && !toolServers.has(name)) {
					onRemoved({profile, name});
				}
			}

			known = next;
		},
		views: (): readonly ServerView[] => [...known.values()],
	};
}

/** A tool server of the configuration by its name. @throws SvcError `server_not_found`, which says why where it cannot be used */
export function serverOf(
	{toolServers, itemErrors}: Pick<Config, 'toolServers' | 'itemErrors'>,
	name: string,
): ToolServerConfig {
	const server = toolServers.get(name);
	if (!server) {
		const reason = itemErrors.get(serverItem(name))?.reason;
		throw new SvcError(
			'server_not_found',
			reason === undefined
				? `Cannot find tool server "${name}": see "svc mcp list"`
				: `Cannot use tool server "${name}": ${reason}`,
		);
	}

	return server;
}
