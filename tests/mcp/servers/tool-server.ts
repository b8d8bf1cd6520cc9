import type {
	RemoteEndpoint,
	StdioEndpoint,
	ToolServerConfig,
} from '../../../source/config/tool-server.ts';
import {makeServerConfig} from '../../helpers/make-server.ts';

/** A configured server with defaults. */
export const toolServer = <E extends StdioEndpoint | RemoteEndpoint>(
	endpoint: E,
	changes: Partial<ToolServerConfig> = {},
): ToolServerConfig & {readonly endpoint: E} => ({...makeServerConfig(changes), endpoint});
