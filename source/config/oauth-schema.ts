import {z} from 'zod';
import {flag, checked, seconds, setting, nonEmptyText, wholeNumber} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import {hasReference} from './references.ts';

const daySeconds = 24 * 60 * 60;

const methods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** `oauth` of a tool server as it is written; references are checked where they are resolved. @see manual/tool-servers.md#logins */
export const oauthSettings = defineSettings({
	flow: setting(
		z.enum(['browser', 'device']),
		'How a person [logs in](logins.md): in a browser (PKCE), or with a code on another device',
		{default: 'browser'},
	),
	timeout: setting(
		seconds(daySeconds),
		'Seconds to wait for device approval, also limited by the lifetime of the code',
		{default: 300},
	),
	client_id: setting(nonEmptyText, 'Client registered beforehand'),
	client_secret: setting(z.string(), 'Its secret; best a reference', {secret: true}),
	token_endpoint_auth_method: setting(
		z.enum(methods),
		'How the client authenticates at the token endpoint',
	),
	client_name: setting(nonEmptyText, 'Name that dynamic registration gives'),
	redirect_uri: setting(
		checked(nonEmptyText, problemWithRedirect),
		'Address to which the browser comes back, instead of a [port of this machine](logins.md#callback-ports)',
	),
	redirect_port: setting(wholeNumber(1, 65_535), 'Loopback port to which the browser comes back'),
	scope: setting(z.string(), 'Scopes to ask for; wins over advertised ones'),
	user_agent: setting(
		z.string(),
		'User-Agent of requests to the token endpoint alone; an empty one is ignored',
	),
	client_metadata_url: setting(
		checked(nonEmptyText, problemWithDocument),
		'[Client metadata document](logins.md#client-identification) that you host; https, with a path',
	),
	cimd: flag(
		true,
		'Client metadata document, if the server takes one; false: dynamic registration',
	),
});

function problemWithRedirect(uri: string): string | undefined {
	if (hasReference(uri)) {
		return undefined;
	}

	const url = URL.parse(uri);
	return /^https?:$/.test(url?.protocol ?? '') && url?.hash === ''
		? undefined
		: 'must be a URL that starts with http:// or https://, without a fragment';
}

/** "must be HTTPS with a path (no bare origin, fragment, userinfo, or `.`/`..` segments)". @see manual/tool-servers.md#logins */
function problemWithDocument(address: string): string | undefined {
	if (hasReference(address)) {
		return undefined;
	}

	const url = URL.parse(address);
	// The parser resolves the segments, so they are looked for in what was written.
	const isPlain =
		url?.protocol === 'https:' &&
		url.pathname !== '/' &&
		url.username + url.password === '' &&
		!address.includes('#') &&
		!/\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(address);
	return isPlain
		? undefined
		: 'must be an https:// URL with a path, without a fragment, a user name and the segments "." and ".."';
}
