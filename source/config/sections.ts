import type {Difference} from '../core/schema-parts.ts';
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

/** A part of `config.yaml` that is invalid as a whole after an error, and whose changes a reload reports. */
export type ConfigSection = {
	/** The keys of `ConfigError.path`, dotted. */
	readonly path: string;
	/** The changed keys, relative to the section; absent: another part reports its changes. */
	readonly differences?: (before: Config, after: Config) => readonly Difference[];
	/** Whether `before` has a last good version. */
	readonly isIn: (before: Config) => boolean;
	/** Takes the last good version over. */
	readonly keep: (before: Config, config: Config) => Partial<Config>;
	/** The replacement without a last good version: a safe one, never a default that acts. */
	readonly absent: (reason: string, config: Config) => Partial<Config>;
};

const nothing = () => ({});

type Members = Pick<
	Config,
	'api' | 'gateway' | 'metrics' | 'model' | 'retention' | 'runs' | 'sandbox' | 'tls' | 'tools'
>;

/** A section that is one member of the configuration; one with `broken` is unusable. */
const member = <Key extends keyof Members>(
	path: Key,
	settings: Pick<typeof modelSettings, 'differences'>,
	{
		absent,
		isIn = isSound,
	}: Pick<ConfigSection, 'absent'> & {isIn?: (value: Members[Key]) => boolean},
): ConfigSection => ({
	path,
	differences: (before, after) => settings.differences(before[path], after[path]),
	isIn: before => isIn(before[path]),
	keep: before => ({[path]: before[path]}),
	absent,
});

const isSound = (value: object | undefined): boolean => !(value && 'broken' in value);

/** In the order of the reload report. For users described in manual/configuration.md#one-slip-takes-one-thing-down. */
export const sections: readonly ConfigSection[] = [
	{
		path: 'platforms.webhook',
		differences: (before, after) => receiverSettings.differences(before.webhook, after.webhook),
		isIn: ({webhook}) => webhook.broken === undefined,
		keep: ({webhook}) => ({webhook}),
		absent: reason => ({webhook: brokenWebhook(reason)}),
	},
	member('metrics', metricsSettings, {
		isIn: ({host}) => host !== undefined,
		absent: () => ({metrics: {}}),
	}),
	{
		...member('gateway', gatewaySettings, {
			// Nothing may be written to a store other than the intended one: the default is used only if `gateway.store` names it or is absent.
			absent(broken, {written}) {
				const store = valueAt(written, ['gateway', 'store']) ?? embeddedStore;
				return {
					gateway: {...gatewaySettings.read({}), ...(store !== embeddedStore && {broken})},
				};
			},
		}),
		// `multiplexProfiles` is decided before all sections, and is not a member of this one.
		differences: (before, after) =>
			gatewaySettings.differences(
				{...before.gateway, multiplexProfiles: before.multiplexProfiles},
				{...after.gateway, multiplexProfiles: after.multiplexProfiles},
			),
	},
	member('model', modelSettings, {
		absent: broken => ({model: {...modelSettings.read({}), broken}}),
	}),
	member('runs', runsSettings, {
		isIn: ({concurrency}) => concurrency > 0,
		absent: (_, {runs}) => ({runs: {...runs, concurrency: 0}}),
	}),
	member('api', apiSettings, {absent: broken => ({api: {...apiSettings.read({}), broken}})}),
	...sectionsOfKinds.map(({name, settings, differences}): ConfigSection => ({
		path: name,
		differences: (before, after) =>
			differences(sectionSettings(before, name), sectionSettings(after, name)),
		isIn: before => sectionSettings(before, name)?.broken === undefined,
		keep: before => ({[name]: sectionSettings(before, name)}),
		absent: broken => ({[name]: Object.assign({}, settings.parse(undefined), {broken})}),
	})),
	member('retention', retentionSettings, {
		isIn: retention => retention !== undefined,
		absent: () => ({retention: undefined}),
	}),
	member('tls', tlsSettings, {absent: () => ({tls: tlsSettings.read({})})}),
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
		// Unreadable rules must not go on allowing calls.
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
	// 0: all tools of servers are deferred.
	member('tools', toolsSettings, {absent: () => ({tools: {maxSchemaTokens: 0}})}),
	member('sandbox', sandboxSettings, {
		absent: broken => ({sandbox: {...sandboxSettings.read({}), broken}}),
	}),
	{
		path: 'mcp_servers',
		isIn: ({itemErrors}) => itemErrors.get(itemKey(['mcp_servers']))?.kept !== false,
		keep: ({toolServers}) => ({toolServers}),
		absent: nothing,
	},
];
