import {ensureHome} from '../../config/home-paths.ts';
import {serverItem} from '../../config/slipped-server.ts';
import {SvcError} from '../../core/errors.ts';
import type {TestedServer} from '../../core/tool-server.ts';
import {toolFacts} from '../../nouns/server/server.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {factsInLines} from '../nouns/noun-commands.ts';
import {findServerGateway, serverNotFound} from './find-servers.ts';
import {tryServer} from './try-server.ts';

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

	const {protocol, serverInfo, warnings} = server;
	printLines(context, [
		`${name} answered in ${Math.round(durationMs)} ms${protocol === undefined ? '' : ` (${protocol})`}${serverInfo === undefined ? '' : `: ${serverInfo}`}`,
		// Without the blank line over their title.
		...factsInLines(toolFacts(server), 0).slice(1),
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

	ensureHome(config.paths);
	return tryServer(context, server, {
		config,
		paths: config.paths,
		warn(message) {
			tell(context, message);
		},
	});
}
