import {proxySecrets} from '../core/network-variables.ts';
import {isSecretName} from './secret-values.ts';
import type {RemoteEndpoint, StdioEndpoint, ToolServerConfig} from './tool-server.ts';

/** Names of values that tell where a secret is, not the secret itself. */
const namesAPlace = /(?:file|path|folder|dir|method)$/i;

/** Names of keys and passwords: `X_KEY`, `x-functions-key`, `DB_PASS`. */
const namesAKey = /(?:^|[_-])(?:key|pass|pwd|pat)$/i;

/** Names of keys that are public in flags. Variables and headers with such names may hold secret keys. */
const openFlag = /(?:^|[_-])(?:public|sort|foreign|partition|range|cache|order|row)[_-]?key$/i;

/** Words that are no secrets. */
const isPlainWord = /^(?:true|false|yes|no|on|off|null|none|auto)$/i;

const path = /^(?:~|\.{1,2})?(?:\/[\w.@ -]+)+$/;

const fileEnding =
	/\.(?:json|ya?ml|toml|ini|conf|cfg|txt|env|pem|key|pub|crt|cer|cert|der|p8|p12|pfx|ppk|jks|gpg|asc)$/i;

/**
 * Whether a value is the path of a file: `…CREDENTIALS=/path/to/file`, `--private-key ~/.ssh/id`. A key may contain slashes by chance, even at its start: without a file
 * ending it counts as a key, unless the name says `credential` or the value begins with `~` or a dot.
 */
const isFile = (name: string, value: string): boolean =>
	/credential|key|cert/i.test(name) &&
	path.test(value) &&
	(fileEnding.test(value) ||
		(/^[~.]*\/[^/]+\//.test(value) && (/^[~.]/.test(value) || /credential/i.test(name))));

/** Whether a value is the name of a variable: `--api-key-env OPENAI_API_KEY`. */
const isVariable = (name: string, value: string): boolean =>
	/(?:^|[_-])(?:env|env[_-]?var|var|variable)$/i.test(name) && /^[A-Z_][A-Z\d_]*$/.test(value);

/** Whether `value` is a secret, judged by the name of its variable, header or flag. */
export const holdsSecret = (name: string, value: string): boolean =>
	(isSecretName(name, value) || namesAKey.test(name)) &&
	!namesAPlace.test(name) &&
	!isVariable(name, value);

/** Whether `value` may be a secret, judged by its name and its form. */
const isSecretUnder = (name: string, value: string): boolean =>
	holdsSecret(name, value) && !isPlainWord.test(value) && !isFile(name, value);

const isSecretFlag = (flag: string, value: string): boolean =>
	isSecretUnder(flag, value) && (isSecretName(flag, value) || !openFlag.test(flag));

/**
 * Texts of a server that must not be shown: values of headers, variables, flags and query parameters with names of secrets (`Authorization`, `X-Api-Key`, `CRM_TOKEN`,
 * `--password`), the client's secret and the password of its key. The references of the server may be resolved or not.
 */
export function serverSecrets({endpoint}: ToolServerConfig): readonly string[] {
	const found = endpoint.transport === 'stdio' ? ofProgram(endpoint) : ofRemote(endpoint);
	return [...new Set(found)].filter(text => text.trim() !== '');
}

const ofProgram = ({env, args}: StdioEndpoint): readonly string[] => [
	...underSecretNames(Object.entries(env)),
	...proxySecrets(env),
	...args.flatMap((arg, index) => ofArgument(arg, args[index + 1])),
];

/** The secrets in an argument: `--token abc`, `--token=abc`; also in a pair that follows a flag or is alone: `--header "x-api-key: abc"`, `-e TOKEN=abc`. */
function ofArgument(arg: string, next = ''): readonly string[] {
	const [, flag, inFlag] = /^--?([A-Za-z][\w-]*)(?:=([^]*))?$/.exec(arg) ?? [];
	if (flag === undefined) {
		return ofPair(arg);
	}

	const value = inFlag ?? (next.startsWith('-') ? '' : next);
	return isSecretFlag(flag, value) ? [value] : ofPair(inFlag ?? '');
}

function ofPair(text: string): readonly string[] {
	const [, name, value] = /^([A-Za-z][\w-]*)\s*[:=]\s*([^]+)$/.exec(text) ?? [];
	return name !== undefined && value !== undefined && isSecretUnder(name, value)
		? [value, ...partsOf(value)]
		: [];
}

const ofRemote = ({url, headers, tls, oauth}: RemoteEndpoint): readonly string[] => [
	...underSecretNames(Object.entries(headers)).flatMap(value => [value, ...partsOf(value)]),
	...underSecretNames(URL.parse(url)?.searchParams ?? []),
	...(tls.client?.password === undefined ? [] : [tls.client.password]),
	...[oauth?.['client_secret'] ?? []].flat().filter(text => typeof text === 'string'),
];

/** The token after `Bearer`, and the values of cookies: other texts may contain them alone. */
const partsOf = (value: string): readonly string[] => [
	...value.split(/\s+/).slice(1),
	...value.split(';').map(cookie => cookie.slice(cookie.indexOf('=') + 1).trim()),
];

const underSecretNames = (entries: Iterable<readonly [string, string]>): readonly string[] =>
	[...entries].filter(([name, value]) => isSecretUnder(name, value)).map(([, value]) => value);
