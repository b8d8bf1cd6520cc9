import {diffServer} from '../../config/diff-config.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {planTools} from '../catalogue/plan-tools.ts';
import type {PlannedServerChange} from '../contract.ts';
import type {ToolServer} from './tool-server.ts';

/** What taking over `next` would do to the servers that run now. Pure but for what they offer. */
export function planServers(
	present: ReadonlyMap<string, ToolServer>,
	next: ReadonlyMap<string, ToolServerConfig>,
	{profile}: {readonly profile: string},
): readonly PlannedServerChange[] {
	const names = [...new Set([...present.keys(), ...next.keys()])].toSorted();
	return names.flatMap(name => changeOf({name, profile}, present.get(name), next.get(name)) ?? []);
}

/** What would be registered of the list that a server gave last. */
function afterwards(
	server: ToolServer,
	config: ToolServerConfig,
	profile: string,
): Pick<PlannedServerChange, 'tools' | 'lostTools'> {
	const before = server.planned;
	const offer = server.offer();
	if (!offer) {
		return {lostTools: []};
	}

	// Names and counts alone are looked at.
	const known = {trustsNewTools: true, definitions: new Map()};
	const toPlan = {server: config, profile, ...offer, known, taken: new Set<string>()};
	const after = config.enabled ? planTools(toPlan).tools : [];
	const kept = new Set(after.map(({tool, kind}) => `${kind} ${tool}`));
	return {
		tools: {before: before.length, after: after.length},
		lostTools: before.filter(({tool, kind}) => !kept.has(`${kind} ${tool}`)).map(({tool}) => tool),
	};
}

function changeOf(
	{name, profile}: {readonly name: string; readonly profile: string},
	server: ToolServer | undefined,
	config: ToolServerConfig | undefined,
): PlannedServerChange | undefined {
	if (!server) {
		return {name, kind: 'added', keys: [], isOther: false, closes: false, lostTools: []};
	}

	const isConnected = server.failure() === undefined;
	if (!config) {
		const lostTools = server.planned.map(({tool}) => tool);
		return {name, kind: 'removed', keys: [], isOther: true, closes: isConnected, lostTools};
	}

	const {keys, reconnects, isOther} = diffServer(server.config, config);
	if (keys.length === 0) {
		return undefined;
	}

	const tools = isOther ? {lostTools: []} : afterwards(server, config, profile);
	return {name, kind: 'changed', keys, isOther, closes: reconnects && isConnected, ...tools};
}
