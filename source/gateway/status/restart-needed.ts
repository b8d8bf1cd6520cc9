import type {Config, WebhookConfig} from '../../config/config.ts';
import {diffConfig} from '../../config/diff-config.ts';

/**
 * Keys whose change since the start waits for a restart. Host and port are in use as the receiver was asked to listen on them; one that does not listen takes the
 * new ones by itself. Pure.
 */
export function restartNeeded(
	started: Config,
	current: Config,
	listensOn: Pick<WebhookConfig, 'host' | 'port'> = current.webhook,
): readonly string[] {
	const {host, port} = listensOn;
	const inUse = {...started, webhook: {...started.webhook, host, port}};
	return diffConfig(inUse, current).restartNeeded;
}
