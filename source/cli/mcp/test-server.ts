import type {Config, HomePaths} from '../../config/config.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {serverItem} from '../../config/invalid-server.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {within} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {TestedServer} from '../../core/tool-server.ts';
import {createManagerOpener, openServerLog} from '../../gateway/servers/open-manager.ts';
import {serverToolFacts} from '../../nouns/server/server.ts';
import type {Context} from '../console/context.ts';
import {tell, printResult} from '../console/print.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {factsInLines} from '../nouns/noun-commands.ts';
import {findServerGateway, serverNotFound} from './find-servers.ts';

/**
 * Connects to a tool server, lists its tools, and disconnects; in the running gateway, else in this process.
 *
 * @throws SvcError `server_not_found`, `config_invalid`, and why it cannot be connected to
 */
export async function testServer(
	context: Context,
	name: string,
	{json}: {readonly json?: boolean},
): Promise<void> {
	const found = await findServerGateway(context);
	const {server, durationMs} = found
		? await found.gateway.testServer(name, {profile: found.profile})
		: await testHere(context, name);
	const {protocol, serverInfo, warnings: notes} = server;
	const head = `${name} answered in ${Math.round(durationMs)} ms${protocol === undefined ? '' : ` (${protocol})`}${serverInfo === undefined ? '' : `: ${serverInfo}`}`;
	// Drops the blank line above their title.
	const lines = [head, ...factsInLines(serverToolFacts(server), 0).slice(1)];
	printResult(context, {json, value: {server, durationMs}, lines, notes});
}

async function testHere(context: Context, name: string): Promise<TestedServer> {
	const config = readConfig(context);
	const server = config.toolServers.get(name);
	const itemError = config.itemErrors.get(serverItem(name));
	if (itemError) {
		throw new SvcError('config_invalid', `Cannot use tool server "${name}": ${itemError.reason}`);
	}

	if (!server) {
		throw serverNotFound(context, name);
	}

	ensureHome(config.paths);
	return tryServer(context, server, {
		config,
		paths: config.paths,
		warn: message => tell(context, message),
	});
}

type TryOptions = {
	readonly config: Config;
	readonly paths: HomePaths;
	readonly warn: (message: string) => void;
	readonly signal?: AbortSignal;
};

/**
 * Connects to a tool server from this process, lists its tools, and disconnects. `paths`: where its cache, log and process ledger are written. `signal` aborts the
 * attempt.
 *
 * @throws why it cannot be connected to
 */
export async function tryServer(
	{clock, environment}: Pick<Context, 'clock' | 'environment'>,
	server: ToolServerConfig,
	{config, paths, warn, signal}: TryOptions,
): Promise<TestedServer> {
	await using opener = createManagerOpener({
		...openServerLog(clock, config, warn),
		paths,
		environment,
		workdir: () => config.toolsets.terminal.workdir,
		// Nobody can be asked here.
		elicit: async () => ({action: 'cancel'}),
	});
	await using manager = await opener.open({
		profile: 'default',
		paths,
		home: config.paths,
		environment: () => config.profiles.of('default').environment,
		onChange() {},
		onRemoved() {},
	});
	const tested = manager.test(server);
	return await (signal ? within(tested, signal) : tested);
}
