import type {LookupAddress} from 'node:dns';
import {lookup as systemLookup} from 'node:dns/promises';
import {BlockList, isIP, isIPv6, type LookupFunction} from 'node:net';
import {SvcError} from '../../core/errors.ts';
import {isLoopbackHost} from '../../core/loopback.ts';

/**
 * Who can be behind an address: anybody, the local network, this machine, or (link-local and the metadata services of clouds) whoever hands
 * out credentials to machines. `reserved` is nobody.
 */
export type AddressScope = 'public' | 'private' | 'loopback' | 'link-local' | 'reserved';

/** All addresses of a name. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

const resolveBySystem: ResolveName = async host => systemLookup(host, {all: true});

/**
 * Why a request to an authorization server must not be sent; `undefined`: it may be. A tool server names these URLs, and it may be lying: HTTPS only,
 * but plain HTTP within this machine for a tool server on this machine, and no address that is nearer to us than `home`, the tool server's own.
 */
export function refusalOfUrl(url: URL, home: AddressScope): string | undefined {
	const local = isLoopbackHost(url.hostname);
	if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && home === 'loopback')) {
		return 'it is not an https:// URL';
	}

	if (url.username !== '' || url.password !== '') {
		return 'it names a user';
	}

	const scope = local ? 'loopback' : addressScope(bareHost(url));
	return scope && !mayReach(scope, home)
		? `a ${scope} address is not for the authorization server of a ${home} tool server`
		: undefined;
}

/**
 * Whether a person's browser may be sent to a page that an authorization server names: where we would go ourselves. A server far away must not have a person open, logged in as they
 * are, pages of their own machine or network.
 */
export const isPageForPeople = (url: URL, home: AddressScope): boolean =>
	refusalOfUrl(url, home) === undefined;

/** Where a tool server is. The farthest address counts: a public name that also has a private address gains nothing by it. */
export async function scopeOfEndpoint(
	endpoint: URL,
	resolve: ResolveName = resolveBySystem,
): Promise<AddressScope> {
	if (isLoopbackHost(endpoint.hostname)) {
		return 'loopback';
	}

	const host = bareHost(endpoint);
	const literal = addressScope(host);
	const scopes = literal ? [literal] : (await resolve(host)).map(scopeOf);
	return scopes.toSorted((one, other) => nearness[one] - nearness[other])[0] ?? 'public';
}

/**
 * Resolves names for the connections of one tool server, and answers with the addresses that were judged, so that a name cannot stand for one address
 * when it is judged and for another when it is connected to. The endpoint's own host, which a person wrote, may be anywhere.
 *
 * Errors are SvcErrors with code `oauth_address_refused`.
 */
export function guardedLookup(
	endpoint: URL,
	resolve: ResolveName = resolveBySystem,
): LookupFunction {
	const judged = async (host: string): Promise<readonly LookupAddress[]> => {
		const addresses = await resolve(host);
		if (host === bareHost(endpoint)) {
			return addresses;
		}

		const home = await scopeOfEndpoint(endpoint, resolve);
		const strange = addresses.map(scopeOf).find(scope => !mayReach(scope, home));
		if (strange) {
			throw new SvcError(
				'oauth_address_refused',
				`Cannot use "${host}" as authorization server: a ${strange} address is not for that of a ${home} tool server`,
			);
		}

		return addresses;
	};

	return (host, options, callback) => {
		void (async () => {
			try {
				const family = familyOf(options.family);
				const found = (await judged(host)).filter(one => !family || one.family === family);
				const [first] = found;
				if (!first) {
					throw notFound(host);
				}

				if (options.all) {
					callback(null, [...found]);
				} else {
					callback(null, first.address, first.family);
				}
			} catch (error) {
				callback(error instanceof Error ? error : notFound(host), '', 0);
			}
		})();
	};
}

/** How near to us: a server may lead us as far away as it likes, but no nearer than it is itself. */
const nearness: Readonly<Record<AddressScope, number>> = {
	public: 0,
	private: 1,
	loopback: 2,
	'link-local': 3,
	reserved: 4,
};

const mayReach = (scope: AddressScope, home: AddressScope): boolean =>
	scope !== 'reserved' && nearness[scope] <= nearness[home];

function scopeOf({address}: LookupAddress): AddressScope {
	return addressScope(address) ?? 'reserved';
}

const bareHost = ({hostname}: URL): string => hostname.replaceAll(/^\[|\]$/g, '');

const familyOf = (family: number | string | undefined): number | undefined =>
	family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : Number(family ?? 0) || undefined;

const notFound = (host: string): NodeJS.ErrnoException =>
	Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {code: 'ENOTFOUND'});

const subnets: ReadonlyArray<readonly [AddressScope, readonly string[]]> = [
	[
		'link-local',
		['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', 'fe80::/10', 'fd00:ec2::254/128'],
	],
	['loopback', ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128']],
	['reserved', ['224.0.0.0/4', '240.0.0.0/4', '192.0.2.0/24', 'ff00::/8', '2001:db8::/32']],
	[
		'private',
		[
			'10.0.0.0/8',
			'172.16.0.0/12',
			'192.168.0.0/16',
			'100.64.0.0/10',
			'192.0.0.0/24',
			'198.18.0.0/15',
			'fc00::/7',
			'fec0::/10',
		],
	],
];

const lists = subnets.map(([scope, ranges]) => {
	const list = new BlockList();
	for (const range of ranges) {
		const [net = '', prefix = ''] = range.split('/');
		list.addSubnet(net, Number(prefix), ipFamily(net));
	}

	return {scope, list};
});

/** The scope of an IP address, without brackets; `undefined` for what is none. IPv4 addresses that are written or carried in IPv6 count as what they are. */
export function addressScope(address: string): AddressScope | undefined {
	if (isIP(address) === 0) {
		return undefined;
	}

	const carried = isIPv6(address) ? carriedIpv4(address) : undefined;
	const plain = carried ?? address;
	return lists.find(({list}) => list.check(plain, ipFamily(plain)))?.scope ?? 'public';
}

function ipFamily(address: string): 'ipv4' | 'ipv6' {
	return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** The IPv4 address in a mapped (`::ffff:`), translated (`64:ff9b::`) or 6to4 (`2002:`) address. */
function carriedIpv4(address: string): string | undefined {
	const groups = ipv6Groups(address);
	const high = groups.slice(0, 6).join(':');
	const bytes =
		high === '0:0:0:0:0:ffff' || high === '64:ff9b:0:0:0:0'
			? groups.slice(6)
			: groups[0] === '2002'
				? groups.slice(1, 3)
				: undefined;
	return bytes
		?.map(group => Number.parseInt(group, 16))
		.flatMap(group => [group >> 8, group & 0xff])
		.join('.');
}

/** The eight groups in lower-case hex; the URL parser knows every spelling of an address. */
function ipv6Groups(address: string): readonly string[] {
	const [bare = ''] = address.split('%');
	const [before = '', after] = new URL(`http://[${bare}]/`).hostname.slice(1, -1).split('::');
	const head = before === '' ? [] : before.split(':');
	const tail = after === undefined || after === '' ? [] : after.split(':');
	return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}
