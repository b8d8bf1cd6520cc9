import type {HomePaths} from '../config/config.ts';
import type {Environment} from '../config/environment.ts';
import {ensureHome} from '../config/home-paths.ts';
import type {Clock} from '../core/clock.ts';
import type {Logger} from '../core/log.ts';
import type {Redact} from '../core/redact.ts';
import type {ServerManager, ServerManagerDependencies} from '../mcp/manager.ts';
import type {Wire} from '../mcp/wire/create-wire.ts';

/** What differs between the managers of one gateway. */
export type ManagerOfProfile = Pick<
	ServerManagerDependencies,
	'profile' | 'paths' | 'environment' | 'onChange' | 'onRemoved'
>;

/** Opens the manager of a profile's tool servers, without any server yet. */
export type OpenManager = (profile: ManagerOfProfile) => Promise<ServerManager>;

/**
 * Opens managers that share one wire. What they are made of is loaded with the first of them: a gateway without tool servers does without.
 * Dispose of the managers first.
 */
export function createManagerOpener({
	paths,
	environment,
	...dependencies
}: Omit<ServerManagerDependencies, keyof ManagerOfProfile | 'wire'> & {
	readonly clock: Clock;
	readonly log: Logger;
	readonly redact: Redact;
	/** Of the gateway's own home. */
	readonly paths: HomePaths;
	/** The process's own. */
	readonly environment: Environment;
}): AsyncDisposable & {readonly open: OpenManager} {
	let loaded: Promise<{readonly wire: Wire; readonly create: OpenManager}> | undefined;

	const load = async () => {
		const [{createWire}, {createServerManager}] = await Promise.all([
			import('../mcp/wire/create-wire.ts'),
			import('../mcp/manager.ts'),
		]);
		const {clock, log, redact} = dependencies;
		const wire = createWire({clock, log, redact, paths, environment});
		return {
			wire,
			create: async (profile: ManagerOfProfile) =>
				createServerManager({...dependencies, ...profile, wire}),
		};
	};

	return {
		async open(profile) {
			loaded ??= load();
			const {create} = await loaded;
			ensureHome(profile.paths);
			return create(profile);
		},
		async [Symbol.asyncDispose]() {
			const {wire} = (await loaded?.catch(() => undefined)) ?? {};
			await wire?.[Symbol.asyncDispose]();
		},
	};
}
