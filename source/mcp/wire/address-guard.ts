import {ADDRCONFIG, type LookupAddress} from 'node:dns';
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

const resolveBySystem: ResolveName = async host =>
	systemLookup(host, {all: true, hints: ADDRCONFIG});

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

	const scope = local
		? 'loopback'
		: isLocalName(url.hostname)
			? 'private'
			: addressScope(bareHost(url));
	return scope && !mayReach(scope, home)
		? `a ${scope} address is not for the authorization server of a ${home} tool server`
		: undefined;
}

/** What browsers take for this machine without asking a name server. It is as near as a name can be: see `home`. @see RFC 6761 §6.3 */
const isLocalName = (name: string): boolean => /(?:^|\.)localhost\.?$/i.test(name);

/**
 * Whether a person's browser may be sent to a page that an authorization server names: where we would go ourselves. A server far away must not have a person open, logged in as they
 * are, pages of their own machine or network.
 */
export const isPageForPeople = (url: URL, home: AddressScope): boolean =>
	refusalOfUrl(url, home) === undefined;

/** Where one tool server is, by the addresses that its connections were made to. */
export type EndpointPlace = {
	/**
	 * How near the tool server is: the farthest of all addresses that its connections were given. A name is never nearer than `private`: whoever
	 * answers for it can say "127.0.0.1" for a moment.
	 */
	readonly home: () => Promise<AddressScope>;
	/** For connections to the tool server itself. */
	readonly ownLookup: LookupFunction;
	/**
	 * For connections to where it leads. Answers with the addresses that were judged, so that a name cannot stand for one address when it is judged and for another when it is
	 * connected to. Fails with a SvcError `oauth_address_refused`.
	 */
	readonly guardedLookup: LookupFunction;
};

/**
 * The place of the tool server at `endpoint`. Before there is a connection its name is looked up once. Behind a proxy the address of a name is not known, so that it
 * counts as `public`.
 */
export function placeOf(
	endpoint: URL,
	{
		isProxied = false,
		resolve = resolveBySystem,
	}: {readonly isProxied?: boolean; readonly resolve?: ResolveName | undefined} = {},
): EndpointPlace {
	const host = bareHost(endpoint);
	const literal = isLoopbackHost(endpoint.hostname) ? 'loopback' : addressScope(host);
	/** Once for all; and the addresses of the last look, since names with many addresses change them for months. */
	let isPublic = false;
	let last: ReadonlySet<string> | undefined;
	const look = async (): Promise<readonly LookupAddress[]> => {
		const addresses = await resolve(host);
		isPublic ||= addresses.some(each => scopeOf(each) === 'public');
		last = new Set(addresses.map(({address}) => address));
		return addresses;
	};

	const home = async (): Promise<AddressScope> => {
		if (literal) {
			return literal === 'public' || literal === 'loopback' ? literal : 'private';
		}

		if (isProxied) {
			return 'public';
		}

		if (!last) {
			await look();
		}

		return isPublic ? 'public' : 'private';
	};

	const judged = async (name: string): Promise<readonly LookupAddress[]> => {
		const addresses = await resolve(name);
		const nearest = await home();
		const strange = addresses
			// Another port of the tool server's own machine. One that is public, too, may be in our network, but is not this machine.
			.filter(each => {
				const isOwn = name === host && last?.has(each.address);
				return !(isOwn && (nearest !== 'public' || scopeOf(each) === 'private'));
			})
			.map(scopeOf)
			.find(scope => !mayReach(scope, nearest));
		if (strange) {
			throw new SvcError(
				'oauth_address_refused',
				`Cannot use "${name}" as authorization server: a ${strange} address is not for that of a ${nearest} tool server`,
			);
		}

		return addresses;
	};

	return {home, ownLookup: lookupBy(look), guardedLookup: lookupBy(judged)};
}

/** As `net.connect()` asks for addresses. */
function lookupBy(find: (host: string) => Promise<readonly LookupAddress[]>): LookupFunction {
	return (host, options, callback) => {
		void (async () => {
			try {
				const family = familyOf(options.family);
				const found = (await find(host)).filter(one => !family || one.family === family);
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
	[
		'reserved',
		[
			'224.0.0.0/4',
			'240.0.0.0/4',
			'192.0.2.0/24',
			'198.51.100.0/24',
			'203.0.113.0/24',
			'192.88.99.0/24',
			'2001:db8::/32',
			'3fff::/20',
			// Protocols of their own, Teredo among them. @see RFC 2928, RFC 4380
			'2001::/23',
			// No server of the internet has an address outside of 2000::/3. @see RFC 4291 §2.4
			'::/3',
			'4000::/2',
			'8000::/1',
		],
	],
];

const lists = subnets.map(([scope, ranges]) => {
	// One for each family: an IPv4 address would be looked for among mapped ones, too.
	const of = {ipv4: new BlockList(), ipv6: new BlockList()};
	for (const range of ranges) {
		const [net = '', prefix = ''] = range.split('/');
		of[ipFamily(net)].addSubnet(net, Number(prefix), ipFamily(net));
	}

	return {scope, of};
});

/**
 * The scope of an IP address, without brackets; `undefined` for what is none. IPv4 addresses that are written or carried in IPv6 count as what they are; what the
 * local network translates by its own prefix is at least as near as that network. @see RFC 8215
 */
export function addressScope(address: string): AddressScope | undefined {
	if (isIP(address) === 0) {
		return undefined;
	}

	const groups = isIPv6(address) ? ipv6Groups(address) : [];
	const plain = carriedIpv4(groups) ?? address;
	const family = ipFamily(plain);
	const scope = lists.find(({of}) => of[family].check(plain, family))?.scope ?? 'public';
	return scope === 'public' && isLocallyTranslated(groups) ? 'private' : scope;
}

function ipFamily(address: string): 'ipv4' | 'ipv6' {
	return isIPv6(address) ? 'ipv6' : 'ipv4';
}

const isLocallyTranslated = (groups: readonly string[]): boolean =>
	groups.slice(0, 3).join(':') === '64:ff9b:1';

/** The IPv4 address in a mapped (`::ffff:`), translated (`64:ff9b::`, `64:ff9b:1::`) or 6to4 (`2002:`) address. */
function carriedIpv4(groups: readonly string[]): string | undefined {
	const high = groups.slice(0, 6).join(':');
	const bytes =
		high === '0:0:0:0:0:ffff' || high === '64:ff9b:0:0:0:0' || isLocallyTranslated(groups)
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
