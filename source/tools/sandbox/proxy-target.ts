import type {LookupAddress} from 'node:dns';
import {isIP} from 'node:net';
import {type ResolveName, scopeOf} from '../../core/address-scope.ts';
import {hostOf, type HostRule, isListed} from '../../core/hosts.ts';

/** Host and port that a program asks for, read once: they are judged, connected to and written into the `Host` header. */
export type ProxyTarget = {
	/** A name in lower case without a dot at its end, or an address as the URL parser spells it, without brackets. */
	readonly host: string;
	readonly port: number;
};

/** A plain HTTP request in absolute form. */
export type PlainTarget = {
	readonly target: ProxyTarget;
	/** Path and query. */
	readonly path: string;
};

/** ASCII only, no userinfo, no zone, no empty label. Longer names do not exist. @see RFC 1035 §2.3.4 */
const authority = /^(?=.{1,262}$)(\[[\d.:A-Fa-f]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::(\d{1,5}))?$/;

/**
 * Reads `host:port`. The URL parser reads the host, so that an address in decimal, octal or hexadecimal, or in a short form, is the address that it stands for. `undefined`: it is no plain host and port.
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

/** Reads the target of a plain HTTP request, `http://host[:port]/path`. `undefined`: it is none. @see RFC 9112 §3.2.2 */
export function readAbsoluteForm(url: string): PlainTarget | undefined {
	const [, host = '', path, query = ''] = absoluteForm.exec(url) ?? [];
	const target = readAuthority(host, 80);
	return target && {target, path: path ?? `/${query}`};
}

/** As it is written in a URL: IPv6 in brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The `Host` header of a plain request. */
export const hostHeader = ({host, port}: ProxyTarget): string =>
	port === 80 ? bracketed(host) : `${bracketed(host)}:${port}`;

export type TargetVerdict =
	/** To be connected to without another look-up. */
	| {readonly kind: 'allowed'; readonly addresses: readonly LookupAddress[]}
	| {readonly kind: 'refused'; readonly reason: string}
	| {readonly kind: 'unknown'};

/**
 * Whether `rules` let a program reach `target`. Every address of a name is judged: one that is not public is refused, and the name with it, unless a rule lists that address itself; `*` and `*.name` list no
 * address. Reasons name no address, since a program that asks learns of the network otherwise.
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
