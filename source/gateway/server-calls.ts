import type {ServerView} from '../core/tool-server.ts';
import type {ToolResult} from '../core/tool.ts';
import {callControl} from './control-client.ts';
import type {ServerReloadPlan, ServerTest} from './port.ts';
import type {ServerCommands} from './server-commands.ts';
import {longestTryMs} from './try-tool.ts';

/** A server may be given ten minutes to connect; a little more, so that its own words arrive. */
const connectSilenceMs = 11 * 60_000;

/** A little more than a try may take, for the same reason. */
const trySilenceMs = longestTryMs + 60_000;

/** The commands for tool servers of the gateway that listens on `socket`. */
export function createServerCalls(socket: string): ServerCommands {
	const post = async <T>(path: string, options: {readonly profile?: string} = {}) =>
		callControl<T>(socket, path, {
			method: 'POST',
			body: {...options},
			silenceMs: connectSilenceMs,
		});

	return {
		listServers: () => callControl<readonly ServerView[]>(socket, '/v1/servers'),
		connectServer: (name, options) => post<ServerView>(`${of(name)}/connect`, options),
		disconnectServer: (name, options) => post<ServerView>(`${of(name)}/disconnect`, options),
		testServer: (name, options) => post<ServerTest>(`${of(name)}/test`, options),
		planServerReload: () => callControl<ServerReloadPlan>(socket, '/v1/servers-reload-plan'),
		tryTool: (name, args, options) =>
			callControl<ToolResult>(socket, `/v1/tools/${encodeURIComponent(name)}/try`, {
				method: 'POST',
				body: {arguments: args, ...options},
				silenceMs: trySilenceMs,
			}),
	};
}

const of = (name: string): string => `/v1/servers/${encodeURIComponent(name)}`;
