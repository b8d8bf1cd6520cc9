import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ServerSettings} from './state.ts';

const remoteKeepaliveMs = 180_000;

/** The times of a server's connection. "HTTP 180; stdio off when omitted". @see Interface 2.12 `keepalive_interval` */
export function settingsOf({endpoint, keepaliveMs}: ToolServerConfig): ServerSettings {
	if (endpoint.transport !== 'stdio') {
		return {keepaliveMs: keepaliveMs ?? remoteKeepaliveMs};
	}

	const {idleMs, lifetimeMs} = endpoint;
	return {
		...(keepaliveMs === undefined ? {} : {keepaliveMs}),
		...(idleMs === undefined ? {} : {idleMs}),
		...(lifetimeMs === undefined ? {} : {lifetimeMs}),
	};
}
