import {isJsonObject} from '../core/json.ts';
import {proxySecrets} from '../core/network-variables.ts';
import type {Environment} from './environment.ts';
import {membersOf} from './plain-data.ts';
import {insecureSecret} from './route-refusals.ts';

const secretName =
	/secret|token|passw|passphrase|credential|authorization|cookie|(?:api|private|access|client|signing)[_-]?key/i;

/** Words about the tokens of a text, never about secrets: `TOKENIZERS_PARALLELISM`. */
const tokenizer = /tokeni[sz]er/gi;

/** Names in which "token" may be the unit of a count: `--max-tokens`, `TOKEN_LIMIT`. It is that unit only if the value is a number. */
const mayCount =
	/tokens$|(?:^|[_-])(?:max|min)[_-]?token$|tokens?[_-]?(?:limit|count|budget|window|size|cap)$/i;

const isCount = (name: string, value: string): boolean =>
	mayCount.test(name) && /^\d{1,9}$/.test(value);

/** Whether a value with that name must never be shown. */
export function isSecretName(name: string, value: string): boolean {
	const withoutTokenizer = name.replaceAll(tokenizer, '');
	return secretName.test(
		isCount(name, value) ? withoutTokenizer.replaceAll(/tokens?/gi, '') : withoutTokenizer,
	);
}

const minVariableLength = 6;

/** A text that is only a reference: the name of a variable is no secret, and people need to read it. */
const onlyReference = /^\$\{[^${}]*\}$/;

/**
 * Every text that must never be shown: texts in `value` under keys that name a secret (`secret`, `api_key`, `password`, `bot_token`…), and, of `environments`, values of at
 * least 6 characters of variables with such names, and users and passwords of proxies.
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
		// A route may be called `rotate-token`: the members of its mapping are no secrets for that.
		...(typeof key === 'string' && !isJsonObject(member)
			? [member]
					.flat()
					.filter(text => typeof text === 'string')
					.filter(text => isSecretName(key, text))
			: []),
		...textsUnderSecretKeys(member),
	]);
}
