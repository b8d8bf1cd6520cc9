import {addressScope, bareHost, isLocalName} from '../../core/address-scope.ts';
import {type HostRule, isListed} from '../../core/hosts.ts';

const maxUrlLength = 8192;

/** Why a page cannot be fetched. The message is for the model: it names the requested host, but no address. */
export class PageRefused extends Error {
	override readonly name = 'PageRefused';
}

/**
 * Checks a URL's syntax, and its host if that is an address; names are judged when looked up.
 *
 * @param text the URL as the model or a server gave it
 * @param from the host that redirects there
 * @throws PageRefused
 */
export function judgeUrl(text: string, from: string | undefined, hosts: readonly HostRule[]): URL {
	const refuse = (why: string, whyOfRedirect: string) =>
		new PageRefused(from === undefined ? why : `${quoted(from)} redirects to ${whyOfRedirect}`);
	if (text.length > maxUrlLength) {
		throw refuse(
			`the URL is longer than ${maxUrlLength} characters`,
			`a URL of more than ${maxUrlLength} characters`,
		);
	}

	const url = URL.parse(text);
	if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || !isName(url.hostname)) {
		throw refuse(
			`${quoted(text)} is no http:// or https:// URL`,
			'what is no http:// or https:// URL',
		);
	}

	if (url.username !== '' || url.password !== '') {
		throw refuse(
			'the URL holds a user name or a password',
			'a URL with a user name or a password in it',
		);
	}

	const host = bareHost(url);
	const scope = isLocalName(host) ? 'loopback' : addressScope(host);
	if (scope !== undefined && scope !== 'public') {
		throw refuse(notPublic(host), 'an address that is not public');
	}

	const usual = url.protocol === 'https:' ? 443 : 80;
	const port = url.port === '' ? usual : Number(url.port);
	if (!isListed(hosts, {host, port})) {
		const place = `${quoted(host)}, port ${port}`;
		throw refuse(
			`toolsets.web.hosts does not list ${place}`,
			`${place}, which toolsets.web.hosts does not list`,
		);
	}

	return url;
}

/** Rejects malformed names before DNS. Only the root label may be empty. @see RFC 1035 §2.3.4 */
const isName = (hostname: string): boolean =>
	hostname.startsWith('[') ||
	(hostname.length <= 254 &&
		hostname
			.replace(/\.$/, '')
			.split('.')
			.every(({length}) => length > 0 && length <= 63));

/** Quotes foreign text in a message. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, 200));

export const notPublic = (host: string): string =>
	`the address of ${quoted(host)} is not public: pages of this machine and of local networks are not fetched`;
