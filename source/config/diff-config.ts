import type {Difference} from '../core/schema-parts.ts';
import {reportedAlert} from './alerts.ts';
import {reportedRule} from './approval-rules.ts';
import type {Config, WebhookConfig} from './config.ts';
import {programSettings, remoteSettings} from './endpoint-settings.ts';
import {routeSettings} from './route-schema.ts';
import {sections} from './sections.ts';
import {serverSettings} from './tool-server-settings.ts';
import type {ToolServerConfig} from './tool-server.ts';

/** The difference between two configurations. `inUse`: the one whose restart-only settings are in effect; a setting that returns to its value there needs no restart. Pure. */
export function diffConfig(current: Config, next: Config, inUse = current) {
	const differencesTo = (before: Config) =>
		sections.flatMap(({path, differences}) =>
			(differences?.(before, next) ?? []).map(({key, ...rest}) => ({
				key: `${path}.${key}`,
				...rest,
			})),
		);
	const changed = differencesTo(current);
	const unused = new Set(differencesTo(inUse).map(({key}) => key));
	const whenOf = (key: string) => (unused.has(key) ? ' (after a restart)' : ' (as it runs)');
	return {
		/** One line per change. */
		changes: [
			...changed.map(
				({key, text, change}) => `${key} ${text}${change === 'restart' ? whenOf(key) : ''}`,
			),
			...describeRoutes(current, next),
			...describeServers(current, next),
			...describeTexts(
				'approval rule',
				[current, next].map(one => one.approvalRules.map(reportedRule)),
			),
			...describeTexts(
				'alert',
				[current, next].map(one => one.alerts.map(reportedAlert)),
			),
			...describeRefusals(current, next),
		],
		/** Keys whose change takes effect only after a restart. */
		restartNeeded: changed
			.filter(({key, change}) => change === 'restart' && unused.has(key))
			.map(({key}) => key),
	};
}

function describeRoutes({webhook: {routes: before}}: Config, {webhook: {routes: after}}: Config) {
	const added = [...after.keys()].filter(name => !before.has(name));
	const removed = [...before.keys()].filter(name => !after.has(name));
	const altered = [...after].flatMap(([name, route]) => {
		const keys = routeSettings.differences(before.get(name) ?? route, route).map(({key}) => key);
		return keys.length === 0 ? [] : [`route ${name} changed: ${keys.join(', ')}`];
	});
	return [
		...added.map(name => `route ${name} added`),
		...removed.map(name => `route ${name} removed`),
		...altered,
	];
}

function describeServers({toolServers: before}: Config, {toolServers: after}: Config) {
	const {added, removed, changed} = diffServers(before, after);
	return [
		...added.map(name => `tool server ${name} added`),
		...removed.map(name => `tool server ${name} removed`),
		...changed.map(({name, keys}) => `tool server ${name} changed: ${keys.join(', ')}`),
	];
}

function describeTexts(what: string, [before = [], after = []]: readonly string[][]) {
	return [
		...after.filter(text => !before.includes(text)).map(text => `${what} added: ${text}`),
		...before.filter(text => !after.includes(text)).map(text => `${what} ended: ${text}`),
	];
}

function describeRefusals({webhook: before}: Config, {webhook: after}: Config) {
	const known = new Set(reasonsIn(before));
	return reasonsIn(after).filter(reason => !known.has(reason));
}

const reasonsIn = ({refusals, invalid, skipped}: WebhookConfig): readonly string[] =>
	[...refusals, ...invalid, ...skipped].map(({reason}) => reason);

type Servers = ReadonlyMap<string, ToolServerConfig>;

/** The difference between two sets of servers as written: a changed value of a variable is no difference. Pure. */
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

/** Compares two versions of one server as written. Pure. */
export function diffServer(before: ToolServerConfig, after: ToolServerConfig) {
	const differences: readonly Difference[] = [
		...programSettings.differences(programOf(before), programOf(after)),
		...remoteSettings.differences(remoteOf(before), remoteOf(after)),
		...serverSettings.differences(before, after),
	];
	return {
		/** Changed keys as written in the file. Empty: no difference. */
		keys: differences.map(({key}) => key),
		/** Whether the server must be connected again. */
		reconnects: differences.some(({change}) => change !== 'at-once'),
		/** Whether this is another server, to which the old tools do not apply. */
		isOther: differences.some(({isOther}) => isOther),
	};
}

const programOf = ({endpoint}: ToolServerConfig) =>
	endpoint.transport === 'stdio' ? endpoint : undefined;

const remoteOf = ({endpoint}: ToolServerConfig) =>
	endpoint.transport === 'stdio' ? undefined : endpoint;
