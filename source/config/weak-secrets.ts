import type {WebhookConfig} from './config.ts';
import {warningsAt} from './place-diagnostic.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {routesPlace} from './profiles.ts';
import {referencesIn} from './references.ts';
import {insecureSecret} from './route-refusals.ts';
import {keyPrefix, publicPrefix} from './secret-problem.ts';

/** Length in bytes from which a secret is hard to guess. */
const minSafeBytes = 8;

const hint = `a secret of fewer than ${minSafeBytes} bytes can be guessed: use a long random one`;

/**
 * A warning about secrets that are short enough to guess; `undefined`: none is. Short secrets are still accepted: the sender may leave no choice. Keys after `whsec_` are
 * measured when decoded, and refused if short.
 */
export const warningOnSecrets = (secrets: readonly string[]): string | undefined =>
	secrets.some(isShort) ? hint : undefined;

/** A text with an unresolved reference has no value yet, which is another problem. */
const isShort = (secret: string) =>
	Buffer.byteLength(secret) < minSafeBytes + prefixLengthOf(secret) &&
	secret !== insecureSecret &&
	referencesIn(secret).length === 0;

const prefixLengthOf = (secret: string) =>
	([keyPrefix, publicPrefix].find(prefix => secret.startsWith(prefix)) ?? '').length;

/**
 * The warnings of `warningOnSecrets`, each with the path of the secret in `value` (all of `config.yaml`): first for the global secret, then for each route with secrets of
 * its own.
 */
export function findWeakSecrets(
	value: unknown,
	{routes, secrets}: Pick<WebhookConfig, 'routes' | 'secrets'>,
): readonly UnplacedDiagnostic[] {
	const own = [...routes.values()].filter(route => route.secrets !== secrets);
	return [
		...warningsAt(['platforms', 'webhook', 'secret'], warningOnSecrets(secrets)),
		...own.flatMap(route =>
			warningsAt([...routesPlace(value), route.name, 'secret'], warningOnSecrets(route.secrets)),
		),
	];
}
