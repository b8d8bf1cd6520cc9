import {SvcError} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines} from '../console/print.ts';
import {describeServer} from './describe-server.ts';
import {findServers} from './find-servers.ts';

/** Shows one tool server with its tools, and which of them ask. @throws SvcError `server_not_found` */
export async function serverStatus(
	context: Context,
	{name, json}: {readonly name: string; readonly json: boolean},
): Promise<void> {
	const servers = await findServers(context);
	// The gateway's own profile comes first.
	const server = servers.find(other => other.name === name);
	if (!server) {
		throw serverNotFound(context, name);
	}

	if (json) {
		printJson(context, server);
	} else {
		printLines(context, describeServer(server));
	}
}

/** The refusal for a name that no tool server has. */
export const serverNotFound = (context: Context, name: string): SvcError =>
	new SvcError(
		'server_not_found',
		`Cannot find tool server "${name}" in "${context.paths().config}": see "svc mcp list"`,
	);
