import {ADDRCONFIG, type LookupAddress} from 'node:dns';
import {lookup as systemLookup} from 'node:dns/promises';
import {BlockList, isIP, isIPv6, type LookupFunction} from 'node:net';

/**
 * The network of an address. `public`: the internet; `private`: a local network; `loopback`: this machine; `link-local`: where cloud metadata
 * services hand out credentials; `reserved`: no host has such an address.
 */
export type AddressScope = 'public' | 'private' | 'loopback' | 'link-local' | 'reserved';

/** All addresses of a name. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

/** Resolves with the resolver of the operating system. */
export const resolveBySystem: ResolveName = async host =>
	systemLookup(host, {all: true, hints: ADDRCONFIG});

/**
 * The scope of an IP address (without brackets); `undefined` for any other text. An IPv4 address embedded in IPv6 has the scope of the IPv4 address, but behind the
 * local translation prefix `64:ff9b:1::/48` it is `private` instead of `public`. @see RFC 8215
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

/** The scope of an address returned by a resolver; `reserved` if it is not an IP address. */
export function scopeOf({address}: LookupAddress): AddressScope {
	return addressScope(address) ?? 'reserved';
}

/** The host of a URL without the brackets of an IPv6 address. */
export const bareHost = ({hostname}: URL): string => hostname.replaceAll(/^\[|\]$/g, '');

/** Whether browsers resolve `name` to this machine without a name server. @see RFC 6761 §6.3 */
export const isLocalName = (name: string): boolean => /(?:^|\.)localhost\.?$/i.test(name);

/** Wraps `find` as the `lookup` option of `net.connect()`, with its options `family` and `all` (all addresses or only the first). */
export function lookupBy(
	find: (host: string) => Promise<readonly LookupAddress[]>,
): LookupFunction {
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

const familyOf = (family: number | string | undefined): number | undefined =>
	family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : Number(family ?? 0) || undefined;

const notFound = (host: string): NodeJS.ErrnoException =>
	Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {code: 'ENOTFOUND'});

const subnets: ReadonlyArray<readonly [AddressScope, readonly string[]]> = [
	[
		'link-local',
		[
			'169.254.0.0/16',
			'100.100.100.200/32',
			'168.63.129.16/32',
			'fe80::/10',
			'fd00:ec2::254/128',
			'fd00:42::42/128',
			'fd20:ce::254/128',
		],
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
			// Addresses of special protocols such as Teredo. @see RFC 2928, RFC 4380
			'2001::/23',
			// No server of the internet has an address outside of 2000::/3. @see RFC 4291 §2.4
			'::/3',
			'4000::/2',
			'8000::/1',
		],
	],
];

const lists = subnets.map(([scope, ranges]) => {
	// One list for each family: a shared list would also compare IPv4 addresses with mapped ones.
	const of = {ipv4: new BlockList(), ipv6: new BlockList()};
	for (const range of ranges) {
		const [net = '', prefix = ''] = range.split('/');
		of[ipFamily(net)].addSubnet(net, Number(prefix), ipFamily(net));
	}

	return {scope, of};
});

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

/** The eight groups of an IPv6 address in lower-case hex. The URL parser normalises every spelling of the address. */
export function ipv6Groups(address: string): readonly string[] {
	const [bare = ''] = address.split('%');
	const [before = '', after] = new URL(`http://[${bare}]/`).hostname.slice(1, -1).split('::');
	const head = before === '' ? [] : before.split(':');
	const tail = after === undefined || after === '' ? [] : after.split(':');
	return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}
