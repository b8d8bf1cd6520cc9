import {platformKinds} from '../targets/targets.ts';
import type {Config, Slip, WebhookConfig} from './config.ts';
import {platformSettings, platformsIn} from './platform-settings.ts';
import {brokenWebhook} from './webhook-config.ts';

/** What a section that cannot be used leaves behind. */
type Section = {
	/** Whether there is a last good version. */
	readonly isIn: (before: Config) => boolean;
	/** Takes that over. */
	readonly keep: (before: Config, config: Config) => Partial<Config>;
	/** What stands in where there is none: the safe side, never a default that acts. */
	readonly absent: (reason: string, config: Config) => Partial<Config>;
};

const nothing = () => ({});

/** By `Slip.item`. What is not here has no effect yet, or (`gateway`) is decided before. README.md has this table for users. */
const sections: Readonly<Record<string, Section>> = {
	model: {
		isIn: ({model}) => model.broken === undefined,
		keep: ({model}) => ({model}),
		absent: broken => ({model: {provider: 'auto', allowOfflineDelivery: false, broken}}),
	},
	runs: {
		isIn: ({runs}) => runs.concurrency > 0,
		keep: ({runs}) => ({runs}),
		absent: (_, {runs}) => ({runs: {...runs, concurrency: 0}}),
	},
	forge: {
		isIn: ({forge}) => forge.broken === undefined,
		keep: ({forge}) => ({forge}),
		absent: broken => ({forge: {cli: '', broken}}),
	},
	metrics: {
		isIn: ({metrics}) => metrics.host !== undefined,
		keep: ({metrics}) => ({metrics}),
		absent: () => ({metrics: {}}),
	},
	retention: {
		isIn: ({retention}) => retention !== undefined,
		keep: ({retention}) => ({retention}),
		absent: () => ({retention: undefined}),
	},
	mcp_servers: {
		isIn: ({slips}) => slips.get('mcp_servers')?.kept !== false,
		keep: ({toolServers}) => ({toolServers}),
		absent: nothing,
	},
	'platforms.webhook': {
		isIn: ({webhook}) => webhook.broken === undefined,
		keep: ({webhook}) => ({webhook}),
		absent: reason => ({webhook: brokenWebhook(reason)}),
	},
	...Object.fromEntries(
		platformKinds.map(({kind}) => [`platforms.${kind}`, sectionOfPlatform(kind)]),
	),
	platforms: {
		isIn: ({webhook}) => webhook.broken === undefined,
		keep: ({webhook, platforms}) => ({webhook, platforms}),
		absent: reason => ({webhook: brokenWebhook(reason)}),
	},
	gateway: {isIn: () => true, keep: nothing, absent: nothing},
};

function sectionOfPlatform(kind: string): Section {
	return {
		isIn: before => platformSettings(before, kind) !== undefined,
		keep: (before, {platforms: others}) => ({
			platforms: {...others, ...platformsIn({[kind]: platformSettings(before, kind)})},
		}),
		absent: nothing,
	};
}

const ofServer = 'mcp_servers.';

/**
 * `config`, read without the items that cannot be used (`reasons`, by `Slip.item`), with the last good version of each of them where `before`, the configuration in use, has one, and with
 * `lastRoutes`. Pure.
 *
 * @see manual/routes.md#keys
 */
export function withSlips(
	config: Config,
	{
		reasons,
		lastRoutes,
		before,
	}: {
		readonly reasons: ReadonlyMap<string, string>;
		/** Static routes that slipped, as they are served. */
		readonly lastRoutes: WebhookConfig['routes'];
		readonly before: Config | undefined;
	},
): Config {
	const slips = new Map<string, Slip>();
	const {webhook} = config;
	let result: Config =
		lastRoutes.size === 0
			? config
			: {...config, webhook: {...webhook, routes: new Map([...webhook.routes, ...lastRoutes])}};
	for (const [item, reason] of reasons) {
		const section = Object.hasOwn(sections, item) ? sections[item] : undefined;
		const server = item.startsWith(ofServer)
			? before?.toolServers.get(item.slice(ofServer.length))
			: undefined;
		const kept = server !== undefined || (before !== undefined && section?.isIn(before) === true);
		slips.set(item, {item, reason, kept});
		if (server) {
			result = {...result, toolServers: new Map([...result.toolServers, [server.name, server]])};
		} else if (section) {
			result = {
				...result,
				...(before && kept ? section.keep(before, result) : section.absent(reason, result)),
			};
		}
	}

	const secrets =
		before && reasons.size + config.webhook.slipped.length > 0 ? before.secretValues : [];
	return {
		...result,
		slips,
		// What stays in use stays secret.
		secretValues: [...new Set([...result.secretValues, ...secrets])],
	};
}
