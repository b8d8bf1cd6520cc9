import type {Config} from '../../config/config.ts';
import {serverItem} from '../../config/slipped-server.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {SvcError} from '../../core/errors.ts';

/** A tool server of the configuration by its name. @throws SvcError `server_not_found`, which says why where it cannot be used */
export function serverOf(
	{toolServers, slips}: Pick<Config, 'toolServers' | 'slips'>,
	name: string,
): ToolServerConfig {
	const server = toolServers.get(name);
	if (!server) {
		const reason = slips.get(serverItem(name))?.reason;
		throw new SvcError(
			'server_not_found',
			reason === undefined
				? `Cannot find tool server "${name}": see "svc mcp list"`
				: `Cannot use tool server "${name}": ${reason}`,
		);
	}

	return server;
}
