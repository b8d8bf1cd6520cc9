import type {RemoteEndpoint} from '../../config/tool-server.ts';
import {orElse} from '../../core/or-else.ts';
import {ConnectError, permanent} from './connect-error.ts';

/**
 * A server's URL and headers for `fetch`; credentials in the URL become basic authentication, unless `Authorization` is configured.
 *
 * @throws ConnectError for what is no http or https URL, and for what no header may hold.
 */
export function requestTarget(
	name: string,
	{url, headers}: Pick<RemoteEndpoint, 'url' | 'headers'>,
): Pick<RemoteEndpoint, 'headers'> & {readonly url: URL} {
	const parsed = URL.parse(url);
	if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
		throw refusal(name, 'its url is no http or https URL');
	}

	const bad = Object.entries(headers).find(([key, value]) => !isHeader(key, value))?.[0];
	if (bad !== undefined) {
		throw refusal(name, `its header ${JSON.stringify(bad)} has characters that no header may have`);
	}

	const {username, password} = parsed;
	parsed.username = '';
	parsed.password = '';
	if (username === '' && password === '') {
		return {url: parsed, headers};
	}

	const text = `${decode(username)}:${decode(password)}`;
	const authorization = `Basic ${Buffer.from(text).toString('base64')}`;
	const isConfigured = Object.keys(headers).some(key => key.toLowerCase() === 'authorization');
	return {url: parsed, headers: isConfigured ? headers : {...headers, authorization}};
}

const refusal = (name: string, text: string) =>
	new ConnectError(permanent(`MCP server '${name}': ${text}`));

const isHeader = (key: string, value: string): boolean =>
	orElse(() => {
		new Headers().set(key, value);
		return true;
	}, false);

const decode = (text: string): string => orElse(() => decodeURIComponent(text), text);
