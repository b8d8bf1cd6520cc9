import type {Config} from '../../config/config.ts';
import {serverItem} from '../../config/invalid-server.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {SvcError} from '../../core/errors.ts';

/** A tool server of the configuration by its name. @throws SvcError `server_not_found`, which says why where it cannot be used */
export function serverOf(
	{toolServers, itemErrors}: Pick<Config, 'toolServers' | 'itemErrors'>,
	name: string,
): ToolServerConfig {
	const server = toolServers.get(name);
	if (!server) {
		const reason = itemErrors.get(serverItem(name))?.reason;
		throw new SvcError(
			'server_not_found',
			reason === undefined
				? `Cannot find tool server "${name}": see "svc mcp list"`
				: `Cannot use tool server "${name}": ${reason}`,
		);
	}

	return server;
}
