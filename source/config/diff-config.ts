import {isDeepStrictEqual} from 'node:util';
import {platformKinds} from '../targets/targets.ts';
import type {Config, WebhookConfig} from './config.ts';
import {diffServers} from './diff-servers.ts';
import {differingKeys} from './differing-keys.ts';
import {platformSettings} from './platform-settings.ts';

/** What a reload changes, for a person; no value of a secret is in it. */
export type ConfigDiff = {
	/** One line per change. */
	readonly changes: readonly string[];
	/** Keys whose change has no effect before a restart. */
	readonly restartNeeded: readonly string[];
};

type Setting = {
	readonly key: string;
	readonly read: (config: Config) => object | string | number | boolean | undefined;
	/** Values are not shown. */
	readonly secret?: true;
	readonly restart?: true;
};

const webhook = 'platforms.webhook';

const settings: readonly Setting[] = [
	{key: `${webhook}.enabled`, read: config => config.webhook.enabled},
	{key: `${webhook}.host`, read: config => config.webhook.host, restart: true},
	{key: `${webhook}.port`, read: config => config.webhook.port, restart: true},
	{key: `${webhook}.secret`, read: config => config.webhook.secrets, secret: true},
	{key: `${webhook}.rate_limit`, read: config => config.webhook.rateLimit},
	{key: `${webhook}.max_body_bytes`, read: config => config.webhook.maxBodyBytes},
	{key: 'metrics.host', read: config => config.metrics.host},
	{key: 'gateway.multiplex_profiles', read: config => config.multiplexProfiles},
	{key: 'model.provider', read: config => config.model.provider},
	{key: 'model.name', read: config => config.model.name},
	// A URL may carry a password.
	{key: 'model.base_url', read: config => config.model.baseUrl, secret: true},
	{key: 'model.api_key', read: config => config.model.apiKey, secret: true},
	{key: 'model.allow_offline_delivery', read: config => config.model.allowOfflineDelivery},
	{key: 'runs.concurrency', read: config => config.runs.concurrency},
	{key: 'runs.max_queued', read: config => config.runs.maxQueued},
	{key: 'runs.max_steps', read: config => config.runs.maxSteps},
	{key: 'runs.timeout_seconds', read: config => config.runs.timeoutMs / 1000},
	{key: 'runs.tries', read: config => config.runs.tries},
	{key: 'runs.delivery_tries', read: config => config.runs.deliveryTries},
	{key: 'forge.cli', read: config => config.forge.cli},
	...platformKinds.map(({kind}): Setting => ({
		key: `platforms.${kind}`,
		read: config => platformSettings(config, kind),
		secret: true,
	})),
	{key: 'retention', read: config => config.retention, secret: true},
];

/** The difference between two configurations. Pure. */
export function diffConfig(current: Config, next: Config): ConfigDiff {
	const changed = settings.filter(({read}) => !isDeepStrictEqual(read(current), read(next)));
	return {
		changes: [
			...changed.map(setting => describeSetting(setting, current, next)),
			...describeRoutes(current, next),
			...describeServers(current, next),
			...describeRefusals(current, next),
		],
		restartNeeded: changed.filter(({restart}) => restart).map(({key}) => key),
	};
}

function describeSetting({key, read, secret, restart}: Setting, current: Config, next: Config) {
	const values = secret ? 'changed' : `${show(read(current))} → ${show(read(next))}`;
	return `${key} ${values}${restart ? ' (after a restart)' : ''}`;
}

const show = (value: ReturnType<Setting['read']>): string =>
	typeof value === 'object' ? 'changed' : String(value ?? 'unset');

function describeRoutes({webhook: {routes: before}}: Config, {webhook: {routes: after}}: Config) {
	const added = [...after.keys()].filter(name => !before.has(name));
	const removed = [...before.keys()].filter(name => !after.has(name));
	const altered = [...after].flatMap(([name, route]) => {
		const keys = differingKeys(before.get(name) ?? route, route, lookedInto).map(wireName);
		return keys.length === 0 ? [] : [`route ${name} changed: ${keys.join(', ')}`];
	});
	return [
		...added.map(name => `route ${name} added`),
		...removed.map(name => `route ${name} removed`),
		...altered,
	];
}

/** Keys of routes whose values are looked into: which part of them changed. */
const lookedInto: ReadonlySet<string> = new Set(['coalesce', 'signature']);

/** What some keys of a route are called in the file; the others differ in their writing alone. */
const wireNames: Readonly<Record<string, string>> = {
	secrets: 'secret',
	scriptTimeoutMs: 'script_timeout_seconds',
	'coalesce.windowMs': 'coalesce.window_seconds',
	'coalesce.maxWaitMs': 'coalesce.max_wait_seconds',
	'signature.kind': 'signature',
};

const wireName = (key: string): string =>
	wireNames[key] ?? key.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

function describeServers({toolServers: before}: Config, {toolServers: after}: Config) {
	const {added, removed, changed} = diffServers(before, after);
	return [
		...added.map(name => `tool server ${name} added`),
		...removed.map(name => `tool server ${name} removed`),
		...changed.map(({name, keys}) => `tool server ${name} changed: ${keys.join(', ')}`),
	];
}

function describeRefusals({webhook: before}: Config, {webhook: after}: Config) {
	const known = new Set(reasonsIn(before));
	return reasonsIn(after).filter(reason => !known.has(reason));
}

const reasonsIn = ({refusals, slipped, skipped}: WebhookConfig): readonly string[] =>
	[...refusals, ...slipped, ...skipped].map(({reason}) => reason);
