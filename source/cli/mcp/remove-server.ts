import {removeToolServer} from '../../config/edit-servers.ts';
import {loadConfig} from '../../config/load-config.ts';
import {serverItem} from '../../config/slipped-server.ts';
import {confirm} from '../console/confirm.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines} from '../console/print.ts';
import {serverNotFound} from './find-servers.ts';

/**
 * Takes a tool server out of `config.yaml`, also one that is broken; a gateway that runs ends its connection by itself. Its standing approvals become void.
 *
 * @throws SvcError `server_not_found`, `confirmation_needed`, and as `editConfig` does
 */
export async function removeServer(
	context: Context,
	{name, yes, json}: {readonly name: string; readonly yes: boolean; readonly json: boolean},
): Promise<void> {
	const paths = context.paths();
	const loaded = loadConfig({paths, environment: context.environment});
	const {config} = loaded.ok ? loaded : {config: undefined};
	if (config && !config.toolServers.has(name) && !config.slips.has(serverItem(name))) {
		throw serverNotFound(context, name);
	}

	const question = `Remove tool server "${name}" with everything that is configured for it?`;
	if (!(await confirm(context, {question, yes}))) {
		return;
	}

	await removeToolServer(paths, name, {clock: context.clock});
	if (json) {
		printJson(context, {name, removed: true});
	} else {
		printLines(context, [`Removed ${name}`]);
	}
}
