import {type Authorities, createAuthorities} from '../../config/authorities.ts';
import type {HomePaths, Config, Profile} from '../../config/config.ts';
import type {Environment} from '../../config/environment.ts';
import {secretsOfConfig} from '../../config/expand-server.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {sandboxPlaces} from '../../config/working-folders.ts';
import type {Clock} from '../../core/clock.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {createLogger, type Logger} from '../../core/log.ts';
import {createRedact, createSecretList, type SecretList} from '../../core/redact.ts';
import type {ServerView} from '../../core/tool-server.ts';
import type {Tool} from '../../core/tool.ts';
import type {World} from '../../core/world.ts';
import type {ServerManager, ServerManagerDependencies} from '../../mcp/contract.ts';
import type {TransportFactory} from '../../mcp/wire/transport-factory.ts';
import type {ServerKey} from '../../store/port.ts';

/** What differs between the managers of one gateway. */
export type ManagerOfProfile = Pick<
	ServerManagerDependencies,
	'profile' | 'paths' | 'environment' | 'onChange' | 'onRemoved'
> & {
	/** The profile's home, which no sandbox may reach, if the manager keeps its files elsewhere. */
	readonly home?: HomePaths;
};

/** Opens the manager of a profile's tool servers, without any server yet. */
export type OpenManager = (profile: ManagerOfProfile) => Promise<ServerManager>;

/** The log and the secrets of tool servers in a person's own process; warnings and errors go to `tell`. */
export function openServerLog(clock: Clock, config: Config, tell: (message: string) => void) {
	const secrets = createSecretList();
	secrets.part()(secretsOfConfig(config));
	const redact = createRedact(secrets.all);
	const log = createLogger(
		{
			clock,
			redact,
			write({level, message}) {
				if (level === 'warn' || level === 'error') {
					tell(message);
				}
			},
		},
		'mcp',
	);
	return {clock, log, redact, secrets, authorities: createAuthorities(() => config, {log})};
}

/**
 * Opens managers that share one transport factory. Their modules are loaded with the first one: a gateway without tool servers does without them. Dispose of the managers
 * first.
 */
export function createManagerOpener(
	world: Omit<ServerManagerDependencies, keyof ManagerOfProfile | 'transports' | 'loginOf'> &
		Pick<World, 'clock' | 'log' | 'redact'> & {
			/** The paths of the gateway's own home. */
			readonly paths: HomePaths;
			/** The process's own environment. */
			readonly environment: Environment;
			/** The certificate authorities that TLS connections trust. */
			readonly authorities: Authorities;
			/** Receives the tokens of logins. */
			readonly secrets: SecretList;
		},
) {
	let loaded:
		| Promise<{readonly transports: TransportFactory; readonly create: OpenManager}>
		| undefined;

	const load = async () => {
		const [
			{createTransportFactory},
			{createServerManager},
			{createServerLogins},
			{loginPlaceOf},
			{watchLogins},
		] = await Promise.all([
			import('../../mcp/wire/transport-factory.ts'),
			import('../../mcp/manager/server-manager.ts'),
			import('../../mcp/oauth/server-logins.ts'),
			import('../../mcp/oauth/login-shelf.ts'),
			import('../../mcp/logins/watch-logins.ts'),
		]);
		const {clock, log, redact, secrets} = world;
		const transports = createTransportFactory(world);
		/** The transports of a profile, whose sandboxes are built around the profile's folders. */
		const transportsOf = (profile: ManagerOfProfile): TransportFactory => ({
			...transports,
			open: async (server, options) =>
				transports.open(server, {
					...options,
					async sandbox(sandboxed, given, stack) {
						const {openServerSandbox} = await import('../../tools/sandbox/server-sandbox.ts');
						const places = sandboxPlaces(profile.home ?? profile.paths, profile.environment());
						return openServerSandbox(sandboxed, {...given, clock, places}, stack);
					},
				}),
		});

		return {
			transports,
			async create(profile: ManagerOfProfile) {
				const {paths} = profile;
				const logins = createServerLogins({clock, log, redact, paths, onSecrets: secrets.part()});
				const watcher = watchLogins({
					place: loginPlaceOf(profile.paths),
					clock,
					log,
					onChange: server => manager.loginChanged(server),
				});
				const manager = createServerManager({
					...world,
					...profile,
					transports: transportsOf(profile),
					loginOf(server) {
						const login = logins.of(server);
						if (login) {
							watcher.add(server.name);
						}

						return login;
					},
				});
				return {
					...manager,
					async [Symbol.asyncDispose]() {
						await watcher[Symbol.asyncDispose]();
						await manager[Symbol.asyncDispose]();
					},
				};
			},
		};
	};

	return {
		async open(profile: ManagerOfProfile) {
			loaded ??= load();
			const {create} = await loaded;
			ensureHome(profile.paths);
			return create(profile);
		},
		async [Symbol.asyncDispose]() {
			const {transports} = (await loaded?.catch(() => undefined)) ?? {};
			await transports?.[Symbol.asyncDispose]();
		},
	};
}

/** The open managers of tool servers, one per profile. Disposal closes them, including those still being opened. */
export function createProfileManagers(given: {
	readonly config: () => Pick<Config, 'toolServers' | 'profiles'>;
	readonly openManager: OpenManager;
	readonly log: Logger;
	/** Called when a server's status or tools change; `tools` is `undefined` while its manager is being opened. Must not throw. */
	readonly onChange: (view: ServerView, tools: readonly Tool[] | undefined) => void;
	/** Called when a server is gone. Must not throw. */
	readonly onRemoved: (server: ServerKey) => void;
}) {
	const {config, openManager, log, onChange, onRemoved} = given;
	const managers = new Map<string, Promise<ServerManager>>();
	const opened = new Map<string, ServerManager>();
	let closed = false;

	const open = async ({name: profile, paths}: Profile): Promise<ServerManager> => {
		const manager = await openManager({
			profile,
			paths,
			environment: () => config().profiles.of(profile).environment,
			onChange: view => onChange(view, opened.get(profile)?.tools().get(view.name)),
			onRemoved: name => onRemoved({profile, name}),
		});
		if (closed) {
			await manager[Symbol.asyncDispose]();
			throw new SvcError('gateway_stopping', 'Cannot open tool servers: the gateway is stopping');
		}

		opened.set(profile, manager);
		await manager.apply(config().toolServers);
		return manager;
	};

	return {
		/** The manager of a profile; opens it with the servers of the configuration if necessary. A failure is logged, and the next call tries again. */
		of(profile: Profile): Promise<ServerManager> {
			const known = managers.get(profile.name);
			if (known) {
				return known;
			}

			const manager = open(profile);
			managers.set(profile.name, manager);
			manager.catch((error: unknown) => {
				managers.delete(profile.name);
				log.error('Cannot open the tool servers', {
					profile: profile.name,
					error: messageOf(error),
				});
			});
			return manager;
		},
		/** The open managers by profile. */
		opened: (): ReadonlyMap<string, ServerManager> => opened,
		/** Closes the manager of a profile, which removes its servers. */
		async close(profile: string) {
			const manager = opened.get(profile);
			managers.delete(profile);
			opened.delete(profile);
			const names = manager?.views().map(({name}) => name) ?? [];
			await manager?.[Symbol.asyncDispose]();
			for (const name of names) {
				onRemoved({profile, name});
			}
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			await Promise.allSettled(managers.values());
			await Promise.all([...opened.values()].map(manager => manager[Symbol.asyncDispose]()));
		},
	};
}
