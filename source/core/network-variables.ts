import {unescape} from 'node:querystring';
import {codeOf, messageOf} from './errors.ts';

const names =
	/^(?:SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|(?:HTTPS?|NO|ALL)_PROXY|(?:https?|no|all)_proxy)$/;

/**
 * Whether a variable configures network access: proxies and trusted certificates. Child processes inherit these variables: tool servers
 * from this process, the client of the code host from the profile.
 */
export const isNetworkVariable = (name: string): boolean => names.test(name);

/** The network variables of an environment. */
export const networkVariables = (
	environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
	Object.fromEntries(Object.entries(environment).filter(([name]) => isNetworkVariable(name)));

const proxyName = /^(?:https?|all)_proxy$/i;

/** The secrets in the proxy variables of an environment: `user:password` and the password (or the user without one), as written and decoded. */
export const proxySecrets = (environment: Readonly<Record<string, string>>): readonly string[] =>
	Object.entries(environment)
		.filter(([name]) => proxyName.test(name))
		.flatMap(([, address]) => ofUserinfo(/^(?:[a-z][a-z0-9+.-]*:\/\/)?([^]*)@/i.exec(address)?.[1]))
		.filter(text => text !== '');

function ofUserinfo(userinfo = ''): readonly string[] {
	const [, user = '', password = ''] = /^([^:]*):?([^]*)$/.exec(userinfo) ?? [];
	return [userinfo, password || user].flatMap(text => [text, unescape(text)]);
}

/** Error codes of OpenSSL for a certificate of an unknown authority. */
export const unknownAuthorityCodes = [
	'SELF_SIGNED_CERT_IN_CHAIN',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'CERT_UNTRUSTED',
] as const;

const codes: ReadonlySet<string> = new Set(unknownAuthorityCodes);

/** Messages of OpenSSL, for libraries that replace its codes. */
const words =
	/self.signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/i;

/** Whether an error reports a certificate of an unknown authority. */
export const isUnknownAuthority = (error: unknown): boolean =>
	codes.has(codeOf(error)) || words.test(messageOf(error));
