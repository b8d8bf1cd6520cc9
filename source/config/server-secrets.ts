import {isSecretName} from './secret-values.ts';
import type {RemoteEndpoint, StdioEndpoint, ToolServerConfig} from './tool-server.ts';

/** Names that say of a value where something is, not what it is. */
const namesAPlace = /(?:file|path|folder|dir|method)$/i;

/** `X_KEY`, `x-functions-key`, `DB_PASS`. */
const namesAKey = /(?:^|[_-])(?:key|pass|pwd|pat)$/i;

/** Whether a variable, a header or a flag of that name holds what nobody may see. */
export const holdsSecret = (name: string): boolean =>
	(isSecretName(name) || namesAKey.test(name)) && !namesAPlace.test(name);

/**
 * Texts of a server that must not be shown: values of headers, variables, flags and query parameters whose names say so (`Authorization`, `X-Api-Key`,
 * `CRM_TOKEN`, `--password`), the client's secret and the password of its key. The server may be expanded or not.
 */
export function serverSecrets({endpoint}: ToolServerConfig): readonly string[] {
	const found = endpoint.transport === 'stdio' ? ofProgram(endpoint) : ofRemote(endpoint);
	return [...new Set(found)].filter(text => text.trim() !== '');
}

const ofProgram = ({env, args}: StdioEndpoint): readonly string[] => [
	...underSecretNames(Object.entries(env)),
	...args.flatMap((arg, index) => ofArgument(arg, args[index + 1])),
];

function ofArgument(arg: string, next = ''): readonly string[] {
	const [, flag, value] = /^--?([A-Za-z][\w-]*)(?:=([^]*))?$/.exec(arg) ?? [];
	if (flag === undefined || !holdsSecret(flag)) {
		return [];
	}

	return [value ?? (next.startsWith('-') ? '' : next)];
}

const ofRemote = ({url, headers, tls, oauth}: RemoteEndpoint): readonly string[] => [
	...underSecretNames(Object.entries(headers)).flatMap(value => [value, ...partsOf(value)]),
	...underSecretNames(URL.parse(url)?.searchParams ?? []),
	...(tls.client?.password === undefined ? [] : [tls.client.password]),
	...[oauth?.['client_secret'] ?? []].flat().filter(text => typeof text === 'string'),
];

/** What follows `Bearer`, and the values of cookies: they may be shown without what is around them. */
const partsOf = (value: string): readonly string[] => [
	...value.split(/\s+/).slice(1),
	...value.split(';').map(cookie => cookie.slice(cookie.indexOf('=') + 1).trim()),
];

const underSecretNames = (entries: Iterable<readonly [string, string]>): readonly string[] =>
	[...entries].filter(([name]) => holdsSecret(name)).map(([, value]) => value);
