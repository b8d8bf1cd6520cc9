import {editConfig} from '../../config/edit-config.ts';
import {confirm} from '../confirm.ts';
import type {Context} from '../context.ts';
import {printJson, printLines} from '../print.ts';
import {readConfig} from '../webhook/receiver-facts.ts';
import {hasServer} from './add-server.ts';
import {serverNotFound} from './server-status.ts';

/**
 * Takes a tool server out of `config.yaml`; a gateway that runs ends its connection by itself. Its standing approvals become void.
 *
 * @throws SvcError `server_not_found`, `confirmation_needed`, and as `editConfig` does
 */
export async function removeServer(
	context: Context,
	{name, yes, json}: {readonly name: string; readonly yes: boolean; readonly json: boolean},
): Promise<void> {
	if (!readConfig(context).toolServers.has(name)) {
		throw serverNotFound(context, name);
	}

	const question = `Remove tool server "${name}" with everything that is configured for it?`;
	if (!(await confirm(context, {question, yes}))) {
		return;
	}

	await editConfig(
		context.paths(),
		written => {
			if (!hasServer(written, name)) {
				throw serverNotFound(context, name);
			}

			return [{path: ['mcp_servers', name]}];
		},
		{clock: context.clock},
	);
	if (json) {
		printJson(context, {name, removed: true});
	} else {
		printLines(context, [`Removed ${name}`]);
	}
}
