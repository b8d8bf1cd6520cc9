import {isLoopbackHost} from '../core/hosts.ts';
import {variable} from './environment.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for `url` by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` (lower-case names take precedence, as in curl); `undefined`: connect directly. This machine is never
 * reached through a proxy. `NO_PROXY` lists hosts, each with its subdomains and perhaps a port, or is `*`.
 */
export function proxyOf(url: URL, environment: Variables): string | undefined {
	if (isLoopbackHost(url.hostname) || isExempt(url, read(environment, 'no_proxy'))) {
		return undefined;
	}

	const proxy = read(environment, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy');
	if (proxy === undefined) {
		return undefined;
	}

	const text = proxy.includes('://') ? proxy : `http://${proxy}`;
	return URL.canParse(text) ? text : undefined;
}

const read = (environment: Variables, name: string): string | undefined =>
	variable(environment, name) || variable(environment, name.toUpperCase()) || undefined;

function isExempt({hostname, port, protocol}: URL, list = ''): boolean {
	const actualPort = port || (protocol === 'https:' ? '443' : '80');
	return list
		.toLowerCase()
		.split(/[\s,]+/)
		.filter(entry => entry !== '')
		.some(entry => {
			const [, host = '', entryPort] =
				/^(?:\*?\.)?(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
			const isPort = entryPort === undefined || entryPort === actualPort;
			return entry === '*' || (isPort && (hostname === host || hostname.endsWith(`.${host}`)));
		});
}
