import type {Difference} from '../core/settings.ts';
import {programSettings, remoteSettings} from './endpoint-settings.ts';
import {serverSettings} from './tool-server-settings.ts';
import type {ToolServerConfig} from './tool-server.ts';

type Servers = ReadonlyMap<string, ToolServerConfig>;

/** The difference between two sets of servers, compared as they are written: what another variable changes is no difference. Pure. */
export function diffServers(before: Servers, after: Servers) {
	const compared = [...after.values()].flatMap(server => {
		const old = before.get(server.name);
		return old ? [{name: server.name, keys: diffServer(old, server).keys}] : [];
	});
	return {
		added: [...after.keys()].filter(name => !before.has(name)),
		removed: [...before.keys()].filter(name => !after.has(name)),
		changed: compared.filter(({keys}) => keys.length > 0),
		unchanged: compared.filter(({keys}) => keys.length === 0).map(({name}) => name),
	};
}

/** Compares two versions of one server, as they are written. Pure. */
export function diffServer(before: ToolServerConfig, after: ToolServerConfig) {
	const differences: readonly Difference[] = [
		...programSettings.differences(programOf(before), programOf(after)),
		...remoteSettings.differences(remoteOf(before), remoteOf(after)),
		...serverSettings.differences(before, after),
	];
	return {
		/** As they stand in the file. Empty: nothing. */
		keys: differences.map(({key}) => key),
		/** Whether the connection has to be made anew. */
		reconnects: differences.some(({change}) => change !== 'at-once'),
		/** Whether it is another server now, whose old tools say nothing. */
		isOther: differences.some(({isOther}) => isOther),
	};
}

const programOf = ({endpoint}: ToolServerConfig) =>
	endpoint.transport === 'stdio' ? endpoint : undefined;

const remoteOf = ({endpoint}: ToolServerConfig) =>
	endpoint.transport === 'stdio' ? undefined : endpoint;
