import type {Config} from '../../config/config.ts';
import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {loadConfig} from '../../config/load-config.ts';
import {SvcError} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';

/** The configuration of the context's home. @throws SvcError `config_invalid` with the first problem */
export function readConfig(context: Context): Config {
	const loaded = loadConfig({paths: context.paths(), environment: context.environment});
	if (loaded.ok) {
		return loaded.config;
	}

	const [first] = loaded.problems;
	throw new SvcError('config_invalid', first ? formatDiagnostic(first) : 'Cannot read config.yaml');
}

/** The same, for a change that depends on it. @throws SvcError `config_refused` with the first problem */
export function usableConfig(context: Context): Config {
	const loaded = loadConfig({paths: context.paths(), environment: context.environment});
	if (!loaded.ok) {
		const [problem] = loaded.problems;
		throw new SvcError(
			'config_refused',
			`Cannot read the configuration: ${problem ? formatDiagnostic(problem) : 'see "svc config check"'}`,
		);
	}

	return loaded.config;
}

const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/** Where senders on this machine reach the receiver. */
export function urlOf({webhook}: Config): string {
	const host = everyAddress.has(webhook.host) ? '127.0.0.1' : webhook.host;
	return `http://${host.includes(':') ? `[${host}]` : host}:${webhook.port}`;
}
