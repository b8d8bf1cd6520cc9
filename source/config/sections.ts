import type {Difference} from '../core/settings.ts';
import {platformKinds, sectionsOfKinds} from '../platforms/platforms.ts';
import {apiSettings} from './api-settings.ts';
import type {Config} from './config.ts';
import {itemKey} from './item-errors.ts';
import {valueAt} from './plain-data.ts';
import {platformSettings, platformsIn, sectionSettings} from './platform-settings.ts';
import {receiverSettings} from './schema.ts';
import {
	gatewaySettings,
	metricsSettings,
	modelSettings,
	retentionSettings,
	runsSettings,
	tlsSettings,
} from './section-schemas.ts';
import {embeddedStore} from './store-place.ts';
import {
	sandboxSettings,
	toolsetNames,
	toolsetSettings,
	toolsetsWithout,
	toolsSettings,
} from './toolset-settings.ts';
import {brokenWebhook} from './webhook-config.ts';

/** A part of `config.yaml` that one error takes down, and whose changes are told of. */
export type ConfigSection = {
	/** The keys of `ConfigError.path`, dotted. */
	readonly path: string;
	/** What is different, by keys inside of it; absent: its changes are told of elsewhere. */
	readonly differences?: (before: Config, after: Config) => readonly Difference[];
	/** Whether there is a last good version. */
	readonly isIn: (before: Config) => boolean;
	/** Takes that over. */
	readonly keep: (before: Config, config: Config) => Partial<Config>;
	/** What stands in where there is none: the safe side, never a default that acts. */
	readonly absent: (reason: string, config: Config) => Partial<Config>;
};

const nothing = () => ({});

/** In the order in which changes are told of. manual/configuration.md#one-slip-takes-one-thing-down has this for users. */
export const sections: readonly ConfigSection[] = [
	{
		path: 'platforms.webhook',
		differences: (before, after) => receiverSettings.differences(before.webhook, after.webhook),
		isIn: ({webhook}) => webhook.broken === undefined,
		keep: ({webhook}) => ({webhook}),
		absent: reason => ({webhook: brokenWebhook(reason)}),
	},
	{
		path: 'metrics',
		differences: (before, after) => metricsSettings.differences(before.metrics, after.metrics),
		isIn: ({metrics}) => metrics.host !== undefined,
		keep: ({metrics}) => ({metrics}),
		absent: () => ({metrics: {}}),
	},
	{
		path: 'gateway',
		// Which profiles are served is decided before all others.
		differences: (before, after) =>
			gatewaySettings.differences(
				{...before.gateway, multiplexProfiles: before.multiplexProfiles},
				{...after.gateway, multiplexProfiles: after.multiplexProfiles},
			),
		isIn: ({gateway}) => gateway.broken === undefined,
		keep: ({gateway}) => ({gateway}),
		// Nothing may be written into another store than the one that was meant.
		absent: (broken, {written}) => {
			const store = valueAt(written, ['gateway', 'store']) ?? embeddedStore;
			return {
				gateway: {...gatewaySettings.read({}), ...(store !== embeddedStore && {broken})},
			};
		},
	},
	{
		path: 'model',
		differences: (before, after) => modelSettings.differences(before.model, after.model),
		isIn: ({model}) => model.broken === undefined,
		keep: ({model}) => ({model}),
		absent: broken => ({model: {...modelSettings.read({}), broken}}),
	},
	{
		path: 'runs',
		differences: (before, after) => runsSettings.differences(before.runs, after.runs),
		isIn: ({runs}) => runs.concurrency > 0,
		keep: ({runs}) => ({runs}),
		absent: (_, {runs}) => ({runs: {...runs, concurrency: 0}}),
	},
	{
		path: 'api',
		differences: (before, after) => apiSettings.differences(before.api, after.api),
		isIn: ({api}) => api.broken === undefined,
		keep: ({api}) => ({api}),
		absent: broken => ({api: {...apiSettings.read({}), broken}}),
	},
	...sectionsOfKinds.map(({name, settings, differences}): ConfigSection => ({
		path: name,
		differences: (before, after) =>
			differences(sectionSettings(before, name), sectionSettings(after, name)),
		isIn: before => sectionSettings(before, name)?.broken === undefined,
		keep: before => ({[name]: sectionSettings(before, name)}),
		absent: broken => ({[name]: Object.assign({}, settings.parse(undefined), {broken})}),
	})),
	{
		path: 'retention',
		differences: (before, after) =>
			retentionSettings.differences(before.retention, after.retention),
		isIn: ({retention}) => retention !== undefined,
		keep: ({retention}) => ({retention}),
		absent: () => ({retention: undefined}),
	},
	{
		path: 'tls',
		differences: (before, after) => tlsSettings.differences(before.tls, after.tls),
		isIn: () => true,
		keep: ({tls}) => ({tls}),
		absent: () => ({tls: tlsSettings.read({})}),
	},
	...platformKinds.map(({kind, differences}): ConfigSection => ({
		path: `platforms.${kind}`,
		differences: (before, after) =>
			differences(platformSettings(before, kind), platformSettings(after, kind)),
		isIn: before => platformSettings(before, kind) !== undefined,
		keep: (before, {platforms: others}) => ({
			platforms: {...others, ...platformsIn({[kind]: platformSettings(before, kind)})},
		}),
		absent: nothing,
	})),
	{
		path: 'platforms',
		isIn: ({webhook}) => webhook.broken === undefined,
		keep: ({webhook, platforms}) => ({webhook, platforms}),
		absent: reason => ({webhook: brokenWebhook(reason)}),
	},
	{
		path: 'approvals',
		// What cannot be read must not go on allowing.
		isIn: () => false,
		keep: nothing,
		absent: () => ({approvalRules: [], approvalChats: []}),
	},
	{
		path: 'alerts',
		isIn: () => true,
		keep: ({alerts}) => ({alerts}),
		absent: () => ({alerts: []}),
	},
	...toolsetNames.map((name): ConfigSection => ({
		path: `toolsets.${name}`,
		differences: (before, after) =>
			toolsetSettings[name].differences(before.toolsets[name], after.toolsets[name]),
		isIn: ({toolsets}) => toolsets[name].broken === undefined,
		keep: ({toolsets: before}, {toolsets}) => ({toolsets: {...toolsets, [name]: before[name]}}),
		absent: (broken, {toolsets}) => ({
			toolsets: {...toolsets, [name]: {...toolsetSettings[name].read({}), broken}},
		}),
	})),
	{
		path: 'toolsets',
		isIn: ({toolsets}) => toolsetNames.every(name => toolsets[name].broken === undefined),
		keep: ({toolsets}) => ({toolsets}),
		absent: broken => ({toolsets: toolsetsWithout(broken)}),
	},
	{
		path: 'tools',
		differences: (before, after) => toolsSettings.differences(before.tools, after.tools),
		isIn: () => true,
		keep: ({tools}) => ({tools}),
		// 0: every tool of a server is deferred.
		absent: () => ({tools: {maxSchemaTokens: 0}}),
	},
	{
		path: 'sandbox',
		differences: (before, after) => sandboxSettings.differences(before.sandbox, after.sandbox),
		isIn: ({sandbox}) => sandbox.broken === undefined,
		keep: ({sandbox}) => ({sandbox}),
		absent: broken => ({sandbox: {...sandboxSettings.read({}), broken}}),
	},
	{
		path: 'mcp_servers',
		isIn: ({itemErrors}) => itemErrors.get(itemKey(['mcp_servers']))?.kept !== false,
		keep: ({toolServers}) => ({toolServers}),
		absent: nothing,
	},
];
