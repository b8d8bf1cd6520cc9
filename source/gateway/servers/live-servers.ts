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

/** The tool servers of all served profiles. */
export type LiveServers = ReturnType<typeof createLiveServers>;

type LiveServersDependencies = Pick<World, 'clock' | 'emit' | 'log'> & {
	readonly config: () => Pick<Config, 'toolServers' | 'profiles' | 'itemErrors'>;
	readonly openManager: OpenManager;
	/** Called with the present definitions of a server's tools, by which outdated rules are voided. Must not throw. */
	readonly onTools: (change: ToolsChange) => void;
};

/**
 * One manager of tool servers per profile: for the gateway's own profile from the start, if it has servers; for another one when a run of it first needs tools. Modules are
 * loaded when first needed.
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
			// Why a manager could not be opened is already logged.
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
		 * Applies the current configuration; the first call connects the servers of the gateway's own profile. Resolves when removed servers have ended, while new connections may
		 * still be in progress. Never rejects.
		 */
		changed() {
			return oneByOne(takeOver).catch((error: unknown) => {
				log.error('Cannot take over the tool servers', {error: messageOf(error)});
			});
		},
		/**
		 * The tools with which a run of `profile` starts, by server, in the order of the file. Waits, at most a minute, until each needed server that connects automatically has
		 * connected or failed once; the others give the tools they have. Rejects with the reason of `signal`.
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
		/** Sorted by profile, the gateway's own first, and by name. Profiles whose servers have not been needed yet are missing. */
		views: (): readonly ServerView[] =>
			inServerOrder([
				...[...managers.opened().values()].flatMap(manager => manager.views()),
				...invalid.views(),
			]),
		/** Calls `listener`, which must not throw, when the status of a server changes; the status is `undefined` once the server is gone. Returns the unsubscribe function. */
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
		/** Makes a separate connection, lists the tools and disconnects. @throws SvcError as `connect` does, and why it failed */
		async test(name: string, profile?: string): ReturnType<ServerManager['test']> {
			const {manager, server} = await find(name, profile);
			return manager.test(server);
		},
		/**
		 * A person has allowed a call of the tool as it is defined now: stores that as the known definition. For built-in tools, which change only with the program, nothing is
		 * stored. Never rejects.
		 */
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
		/** What replacing the servers of the gateway's own profile with `servers` would change. */
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

/** Emits tool servers of the configuration that are invalid and so have no manager. */
function createInvalidServers(world: {
	readonly clock: Clock;
	readonly config: () => Pick<Config, 'itemErrors' | 'toolServers'>;
	/** Must not throw. */
	readonly onChange: (view: ServerView) => void;
	/** Not called for a server that has become valid. Must not throw. */
	readonly onRemoved: (server: ServerKey) => void;
}) {
	const {clock, config, onChange, onRemoved} = world;
	let known: ReadonlyMap<string, ServerView> = new Map();
	return {
		/** Compares the current configuration with the last one, and reports the differences. */
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

/** A tool server of the configuration by name. @throws SvcError `server_not_found`, with the reason if the server is invalid */
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
