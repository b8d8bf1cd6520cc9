import type {Authorities} from '../../config/authorities.ts';
import type {HomePaths} from '../../config/config.ts';
import type {Environment} from '../../config/environment.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {sandboxPlaces} from '../../config/working-folders.ts';
import type {World} from '../../core/world.ts';
import type {ServerManager, ServerManagerDependencies} from '../../mcp/contract.ts';
import type {TransportFactory} from '../../mcp/wire/transport-factory.ts';
import {joinLists} from './server-secrets.ts';

/** What differs between the managers of one gateway. */
export type ManagerOfProfile = Pick<
	ServerManagerDependencies,
	'profile' | 'paths' | 'environment' | 'onChange' | 'onRemoved'
> & {
	/** Where the profile is, which no sandbox may reach, when it is not where the manager keeps its files. */
	readonly home?: HomePaths;
};

/** Opens the manager of a profile's tool servers, without any server yet. */
export type OpenManager = (profile: ManagerOfProfile) => Promise<ServerManager>;

/**
 * Opens managers that share one transport factory. What they are made of is loaded with the first of them: a gateway without tool servers does without.
 * Dispose of the managers first.
 */
export function createManagerOpener(
	world: Omit<ServerManagerDependencies, keyof ManagerOfProfile | 'transports' | 'loginOf'> &
		Pick<World, 'clock' | 'log' | 'redact'> & {
			/** Of the gateway's own home. */
			readonly paths: HomePaths;
			/** The process's own. */
			readonly environment: Environment;
			/** Whom TLS connections trust. */
			readonly authorities: Authorities;
		},
) {
	let loaded:
		| Promise<{readonly transports: TransportFactory; readonly create: OpenManager}>
		| undefined;

	let secrets = noSecrets;

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
		const {clock, log, redact} = world;
		const transports = createTransportFactory(world);
		/** Those of a profile, whose sandboxes are built around its own folders. */
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
				const logins = createServerLogins({clock, log, redact, paths: profile.paths});
				secrets = joinLists(secrets, () => logins.secrets());
				const watcher = watchLogins({
					place: loginPlaceOf(profile.paths),
					clock,
					log,
					onChange(server) {
						manager.loginChanged(server);
					},
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
		/** Tokens of logins to tool servers, to be hidden; a new array when there are more. */
		secrets: (): readonly string[] => secrets(),
		async [Symbol.asyncDispose]() {
			const {transports} = (await loaded?.catch(() => undefined)) ?? {};
			await transports?.[Symbol.asyncDispose]();
		},
	};
}

const nothing: readonly string[] = [];

const noSecrets = (): readonly string[] => nothing;
