import {createAuthorities} from '../../config/authorities.ts';
import type {Config} from '../../config/config.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {serverItem} from '../../config/slipped-server.ts';
import {SvcError} from '../../core/errors.ts';
import {createLogger} from '../../core/log.ts';
import {createRedact} from '../../core/redact.ts';
import type {TestedServer} from '../../core/tool-server.ts';
import {createManagerOpener} from '../../gateway/open-manager.ts';
import {createServerSecrets, joinLists} from '../../gateway/server-secrets.ts';
import type {Context} from '../context.ts';
import {printJson, printLines, tell} from '../print.ts';
import {readConfig} from '../webhook/receiver-facts.ts';
import {describeTools} from './describe-server.ts';
import {findServerGateway} from './find-servers.ts';
import {serverNotFound} from './server-status.ts';

/**
 * Connects to a tool server, lists its tools, and leaves; in the running gateway, else in this process.
 *
 * @throws SvcError `server_not_found`, `config_invalid`, and why it cannot be connected to
 */
export async function testServer(
	context: Context,
	{name, json}: {readonly name: string; readonly json: boolean},
): Promise<void> {
	const found = await findServerGateway(context);
	const {server, durationMs} = found
		? await found.gateway.testServer(name, {profile: found.profile})
		: await testHere(context, name);
	if (json) {
		printJson(context, {server, durationMs});
		return;
	}

	const {protocol, serverInfo, tools, warnings} = server;
	printLines(context, [
		`${name} answered in ${Math.round(durationMs)} ms${protocol === undefined ? '' : ` (${protocol})`}${serverInfo === undefined ? '' : `: ${serverInfo}`}`,
		...describeTools(tools, server),
	]);
	for (const warning of warnings) {
		tell(context, warning);
	}
}

async function testHere(context: Context, name: string): Promise<TestedServer> {
	const config = readConfig(context);
	const server = config.toolServers.get(name);
	const slip = config.slips.get(serverItem(name));
	if (slip) {
		throw new SvcError('config_invalid', `Cannot use tool server "${name}": ${slip.reason}`);
	}

	if (!server) {
		throw serverNotFound(context, name);
	}

	const {clock, environment} = context;
	const {paths} = config;
	ensureHome(paths);
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
					tell(context, message);
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
		environment: () => environmentOf(config),
		onChange() {},
		onRemoved() {},
	});
	return await manager.test(server);
}

const environmentOf = ({profiles}: Config) => profiles.of('default').environment;
