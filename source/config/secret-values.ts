import {isJsonObject} from '../core/json.ts';
import {proxySecrets} from '../core/network-variables.ts';
import type {Environment} from './environment.ts';
import {membersOf} from './plain-data.ts';
import {insecureSecret} from './route-refusals.ts';

const secretName =
	/secret|token|passw|passphrase|credential|authorization|cookie|(?:api|private|access|client|signing)[_-]?key/i;

/** What speaks of tokens as what a text is made of, whatever the value: `TOKENIZERS_PARALLELISM`. */
const tokenizer = /tokeni[sz]er/gi;

/** Names in which "token" may mean the unit in which texts are counted: `--max-tokens`, `TOKEN_LIMIT`. They mean it only if the value is a number. */
const mayCount =
	/tokens$|(?:^|[_-])(?:max|min)[_-]?token$|tokens?[_-]?(?:limit|count|budget|window|size|cap)$/i;

const isCount = (name: string, value: string): boolean =>
	mayCount.test(name) && /^\d{1,9}$/.test(value);

/** Whether `value`, which stands under that name, is never to be shown. */
export function isSecretName(name: string, value: string): boolean {
	const withoutTokenizer = name.replaceAll(tokenizer, '');
	return secretName.test(
		isCount(name, value) ? withoutTokenizer.replaceAll(/tokens?/gi, '') : withoutTokenizer,
	);
}

const minVariableLength = 6;

/** The name of a secret is no secret: a person has to read it to set it. */
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
		if (isSecretName(name, text) && text.length >= minVariableLength) {
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
		...(typeof key === 'string' && !isJsonObject(member)
			? [member]
					.flat()
					.filter(text => typeof text === 'string')
					.filter(text => isSecretName(key, text))
			: []),
		...textsUnderSecretKeys(member),
	]);
}
