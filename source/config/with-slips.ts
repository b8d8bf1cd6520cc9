import {cell} from '../core/untrusted.ts';
import {platformKinds} from '../targets/targets.ts';
import type {Config, Slip, WebhookConfig} from './config.ts';
import {platformSettings, platformsIn, secretsOfPlatforms} from './platform-settings.ts';
import {hasReference} from './references.ts';
import {collectSecrets} from './secret-values.ts';
import {secretsIn} from './server-secrets.ts';
import {serverAt} from './slipped-server.ts';
import {slipKey} from './slips.ts';
import type {SlipReason} from './sort-slips.ts';
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

/** By their paths, dotted. What is not here has no effect yet, or (`gateway`) is decided before. README.md has this table for users. */
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
		isIn: ({slips}) => slips.get(slipKey(['mcp_servers']))?.kept !== false,
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

const sectionsByKey = new Map(
	Object.entries(sections).map(([path, section]) => [slipKey(path.split('.')), section]),
);

const longestItem = 200;

/**
 * `config`, read without the items that cannot be used (`reasons`), with the last good version of each of them where `before`, the configuration in use, has one, and with
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
		readonly reasons: readonly SlipReason[];
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
	// What stays in use stays secret.
	const secrets = [...secretsOf({webhook: {...webhook, routes: lastRoutes}})];
	for (const {path, reason} of reasons) {
		const section = sectionsByKey.get(slipKey(path));
		const server = before?.toolServers.get(serverAt(path) ?? '');
		const kept = server !== undefined || (before !== undefined && section?.isIn(before) === true);
		const item = cell(path.join('.'), longestItem).text;
		slips.set(slipKey(path), {path, item, reason, kept});
		if (server) {
			result = {...result, toolServers: new Map([...result.toolServers, [server.name, server]])};
			secrets.push(...secretsOf({toolServers: new Map([[server.name, server]])}));
		} else if (section && before && kept) {
			const last = section.keep(before, result);
			result = {...result, ...last};
			secrets.push(...secretsOf(last));
		} else if (section) {
			result = {...result, ...section.absent(reason, result)};
		}
	}

	return {
		...result,
		slips,
		secretValues: [...new Set([...result.secretValues, ...secrets])],
	};
}

/** The secrets in a part of a configuration. */
const secretsOf = ({webhook, toolServers, ...rest}: Partial<Config>): readonly string[] => [
	...collectSecrets([rest, webhook && {...webhook, routes: [...webhook.routes.values()]}], []),
	...secretsOfPlatforms(rest.platforms ?? {}),
	...[...(toolServers?.values() ?? [])].flatMap(secretsIn).filter(text => !hasReference(text)),
];
