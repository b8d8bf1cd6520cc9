import {isJsonObject} from '../core/json.ts';
import {proxySecrets} from '../core/network-variables.ts';
import type {Environment} from './environment.ts';
import {membersOf} from './plain-data.ts';
import {insecureSecret} from './route-refusals.ts';

const secretName =
	/secret|token|passw|passphrase|credential|authorization|cookie|(?:api|private|access|client|signing)[_-]?key/i;

/** Names that speak of tokens as what a text is counted in: `--max-tokens`, `TOKEN_LIMIT`, `TOKENIZERS_PARALLELISM`. */
const countsTokens =
	/(?:^|[_-])(?:tokeni[sz]\w*|(?:max|min)[_-]?tokens?$|(?:max|min|num|total|input|output|prompt|completion|context)(?:[_-][a-z]+){0,2}[_-]?tokens$|tokens?[_-]?(?:limit|count|budget|window|size|cap)$)/i;

/** Whether what stands under that name is never to be shown. */
export const isSecretName = (name: string): boolean =>
	secretName.test(countsTokens.test(name) ? name.replace(/tokens?/gi, '') : name);

const minVariableLength = 6;

/** The name of a secret is none: whoever has to set it must read it. */
const onlyReference = /^\$\{[^${}]*\}$/;

/**
 * Every text that must never be shown: what stands in `value` under a key that names a secret (`secret`, `api_key`, `password`,
 * `bot_token`…), and of `environments` the variables whose names say the same and that have at least 6 characters, and users and passwords of proxies.
 */
export function collectSecrets(
	value: unknown,
	environments: readonly Environment[],
): readonly string[] {
	const found = new Set(textsUnderSecretKeys(value));
	for (const [name, text] of environments.flatMap(Object.entries<string>)) {
		if (isSecretName(name) && text.length >= minVariableLength) {
			found.add(text);
		}
	}

	for (const text of environments.flatMap(proxySecrets)) {
		found.add(text);
	}

	return [...found].filter(
		text => text.trim() !== '' && text !== insecureSecret && !onlyReference.test(text),
	);
}

function textsUnderSecretKeys(value: unknown): readonly string[] {
	return membersOf(value).flatMap(([key, member]) => [
		// A route may be called `rotate-token`; a text right below it is no secret for that.
		...(typeof key === 'string' && isSecretName(key) && !isJsonObject(member)
			? [member].flat().filter(text => typeof text === 'string')
			: []),
		...textsUnderSecretKeys(member),
	]);
}
