import type {RemoteEndpoint} from '../../config/tool-server.ts';
import {ConnectError, permanent} from './connect-error.ts';

/** Where requests for a server go, and what they carry. */
export type ServerRequestTarget = {
	/** Without credentials: no fetch takes them. */
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
};

/**
 * The URL and the headers of a server as requests can have them; credentials in the URL become basic authentication, unless `Authorization` is configured.
 *
 * @throws ConnectError for what is no http or https URL, and for what no header may hold.
 */
export function requestTarget(
	name: string,
	{url, headers}: Pick<RemoteEndpoint, 'url' | 'headers'>,
): ServerRequestTarget {
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

function isHeader(key: string, value: string): boolean {
	try {
		new Headers().set(key, value);
		return true;
	} catch {
		return false;
	}
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
