import type {LookupAddress} from 'node:dns';
import {isIP} from 'node:net';
import {type ResolveName, scopeOf} from '../../core/address-scope.ts';
import {hostOf, type HostRule, isListed} from '../../core/hosts.ts';

/** The host and port that a program requests, parsed once: the same value is judged, connected to, and written into the `Host` header. */
export type ProxyTarget = {
	/** A name in lower case without final dot, or an address as normalised by the URL parser, without brackets. */
	readonly host: string;
	readonly port: number;
};

/** A plain HTTP request in absolute form. */
export type PlainTarget = {
	readonly target: ProxyTarget;
	/** Path and query. */
	readonly path: string;
};

/** ASCII only, without user info, zone or empty labels. Longer names do not exist. @see RFC 1035 §2.3.4 */
const authority = /^(?=.{1,262}$)(\[[\d.:A-Fa-f]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::(\d{1,5}))?$/;

/**
 * Parses `host:port`. The URL parser normalises the host, so that an address in decimal, octal, hexadecimal or short form is recognised. `undefined` if it is not
 * a plain host and port.
 */
export function readAuthority(text: string, defaultPort?: number): ProxyTarget | undefined {
	const [, name, digits] = authority.exec(text) ?? [];
	const port = digits === undefined ? defaultPort : Number(digits);
	const hostname = name === undefined ? undefined : URL.parse(`http://${name}/`)?.hostname;
	return hostname === undefined || port === undefined || port < 1 || port > 65_535
		? undefined
		: {host: hostOf(hostname), port};
}

const absoluteForm = /^http:\/\/([^/?#]*)(?:(\/[^#]*)|(\?[^#]*))?$/i;

/** Parses the target of a plain HTTP request, `http://host[:port]/path`; `undefined` if it is none. @see RFC 9112 §3.2.2 */
export function readAbsoluteForm(url: string): PlainTarget | undefined {
	const [, host = '', path, query = ''] = absoluteForm.exec(url) ?? [];
	const target = readAuthority(host, 80);
	return target && {target, path: path ?? `/${query}`};
}

/** A host as written in a URL: IPv6 in brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The `Host` header of a plain request. */
export const hostHeader = ({host, port}: ProxyTarget): string =>
	port === 80 ? bracketed(host) : `${bracketed(host)}:${port}`;

export type TargetVerdict =
	/** Connect to these addresses without another lookup. */
	| {readonly kind: 'allowed'; readonly addresses: readonly LookupAddress[]}
	| {readonly kind: 'refused'; readonly reason: string}
	| {readonly kind: 'unknown'};

/**
 * Whether `rules` allow a program to reach `target`. Every address of a name is judged: one that is not public refuses the whole name, unless a rule lists that
 * address itself; `*` and `*.name` list no address. Reasons contain no address, which would tell the program about the network.
 *
 * @param setting the setting that a person adds a host to
 * @see manual/sandbox-network.md#hosts
 */
export async function judgeTarget(
	target: ProxyTarget,
	{
		rules,
		resolve,
		setting,
	}: {readonly rules: readonly HostRule[]; readonly resolve: ResolveName; readonly setting: string},
): Promise<TargetVerdict> {
	const {host, port} = target;
	if (!isListed(rules, target)) {
		return {kind: 'refused', reason: `${setting} does not list it`};
	}

	const family = isIP(host);
	const addresses = family === 0 ? await addressesOf(host, resolve) : [{address: host, family}];
	if (addresses.length === 0) {
		return {kind: 'unknown'};
	}

	const exact = rules.filter(rule => rule.host !== undefined && !rule.below);
	const near = addresses
		.filter(({address}) => !isListed(exact, {host: address, port}))
		.map(scopeOf)
		.find(scope => scope !== 'public');
	return near === undefined
		? {kind: 'allowed', addresses}
		: {
				kind: 'refused',
				reason: `its address is ${near}; ${setting} must list that address itself`,
			};
}

async function addressesOf(host: string, resolve: ResolveName): Promise<readonly LookupAddress[]> {
	try {
		return await resolve(host);
	} catch {
		return [];
	}
}
