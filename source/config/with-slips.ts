import {cell} from '../core/untrusted.ts';
import type {Config, Slip, WebhookConfig} from './config.ts';
import {secretsOfPlatforms} from './platform-settings.ts';
import {hasReference} from './references.ts';
import {collectSecrets} from './secret-values.ts';
import {sections} from './sections.ts';
import {serverSecrets} from './server-secrets.ts';
import {serverAt} from './slipped-server.ts';
import {slipKey} from './slips.ts';
import {receiverPath, type SlipReason} from './sort-slips.ts';

const sectionsByKey = new Map(sections.map(section => [slipKey(section.path.split('.')), section]));

const maxItemLength = 200;

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
		isReceiverUsable,
		lastRoutes,
		before,
	}: {
		readonly reasons: readonly SlipReason[];
		/** Whether the last good values of the receiver's settings that slipped stand in `config` already. */
		readonly isReceiverUsable: boolean;
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
		const item = cell(path.join('.'), maxItemLength).text;
		slips.set(slipKey(path), {path, item, reason, kept});
		if (server) {
			result = {...result, toolServers: new Map([...result.toolServers, [server.name, server]])};
			secrets.push(...secretsOf({toolServers: new Map([[server.name, server]])}));
		} else if (isReceiverUsable && slipKey(path) === slipKey(receiverPath)) {
			secrets.push(...secretsOf({webhook}));
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
	...[...(toolServers?.values() ?? [])].flatMap(serverSecrets).filter(text => !hasReference(text)),
];
