import {escapeLine} from '../core/untrusted.ts';
import type {Config, ConfigError, WebhookConfig} from './config.ts';
import {serverAt} from './invalid-server.ts';
import {itemKey} from './item-errors.ts';
import {secretsOfPlatforms} from './platform-settings.ts';
import {hasReference} from './references.ts';
import {collectSecrets} from './secret-values.ts';
import {sections} from './sections.ts';
import {serverSecrets} from './server-secrets.ts';
import {receiverPath, type ErrorReason} from './sort-errors.ts';

const sectionsByKey = new Map(sections.map(section => [itemKey(section.path.split('.')), section]));

const maxItemLength = 200;

/**
 * `config`, read without the items that cannot be used (`reasons`), with the last good version of each of them where `before`, the configuration in use, has one, and with
 * `lastRoutes`. Pure.
 *
 * @see manual/routes.md#keys
 */
export function keepLastGood(
	config: Config,
	options: {
		readonly reasons: readonly ErrorReason[];
		/** Whether the last good values of the receiver's settings that are invalid stand in `config` already. */
		readonly isReceiverUsable: boolean;
		/** Static routes that are invalid, as they are served. */
		readonly lastRoutes: WebhookConfig['routes'];
		readonly before: Config | undefined;
	},
): Config {
	const {reasons, isReceiverUsable, lastRoutes, before} = options;
	const itemErrors = new Map<string, ConfigError>();
	const {webhook} = config;
	let result: Config =
		lastRoutes.size === 0
			? config
			: {...config, webhook: {...webhook, routes: new Map([...webhook.routes, ...lastRoutes])}};
	// What stays in use stays secret.
	const secrets = [...secretsOf({webhook: {...webhook, routes: lastRoutes}})];
	for (const {path, reason} of reasons) {
		const section = sectionsByKey.get(itemKey(path));
		const server = before?.toolServers.get(serverAt(path) ?? '');
		const kept = server !== undefined || (before !== undefined && section?.isIn(before) === true);
		const item = escapeLine(path.join('.'), maxItemLength);
		itemErrors.set(itemKey(path), {path, item, reason, kept});
		if (server) {
			result = {...result, toolServers: new Map([...result.toolServers, [server.name, server]])};
			secrets.push(...secretsOf({toolServers: new Map([[server.name, server]])}));
		} else if (isReceiverUsable && itemKey(path) === itemKey(receiverPath)) {
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
		itemErrors,
		secretValues: [...new Set([...result.secretValues, ...secrets])],
	};
}

/** The secrets in a part of a configuration. */
const secretsOf = ({webhook, toolServers, ...rest}: Partial<Config>): readonly string[] => [
	...collectSecrets([rest, webhook && {...webhook, routes: [...webhook.routes.values()]}], []),
	...secretsOfPlatforms(rest.platforms ?? {}),
	...[...(toolServers?.values() ?? [])].flatMap(serverSecrets).filter(text => !hasReference(text)),
];
