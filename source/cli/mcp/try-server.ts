import {createAuthorities} from '../../config/authorities.ts';
import type {Config, HomePaths} from '../../config/config.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {createLogger} from '../../core/log.ts';
import {createRedact} from '../../core/redact.ts';
import type {TestedServer} from '../../core/tool-server.ts';
import {within} from '../../core/within.ts';
import {createManagerOpener} from '../../gateway/servers/open-manager.ts';
import {createServerSecrets, joinLists} from '../../gateway/servers/server-secrets.ts';
import type {Context} from '../console/context.ts';

/**
 * Connects to a tool server from this process, lists its tools, and leaves. `paths`: where its cache, its log and its processes are written down. `signal` ends the try.
 *
 * @throws why it cannot be connected to
 */
export async function tryServer(
	{clock, environment}: Pick<Context, 'clock' | 'environment'>,
	server: ToolServerConfig,
	{
		config,
		paths,
		warn,
		signal,
	}: {
		readonly config: Config;
		readonly paths: HomePaths;
		readonly warn: (message: string) => void;
		readonly signal?: AbortSignal;
	},
): Promise<TestedServer> {
	const redact = createRedact(
		joinLists(
			() => config.secretValues,
			createServerSecrets(() => config),
		),
	);
	const log = createLogger(
		{
			clock,
			redact,
			write({level, message}) {
				if (level === 'warn' || level === 'error') {
					warn(message);
				}
			},
		},
		'mcp',
	);
	await using opener = createManagerOpener({
		clock,
		log,
		redact,
		paths,
		environment,
		authorities: createAuthorities(() => config, {log}),
		// Nobody can be asked here.
		elicit: async () => ({action: 'cancel'}),
	});
	await using manager = await opener.open({
		profile: 'default',
		paths,
		environment: () => config.profiles.of('default').environment,
		onChange() {},
		onRemoved() {},
	});
	const tested = manager.test(server);
	return await (signal ? within(tested, signal) : tested);
}
