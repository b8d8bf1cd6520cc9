import {BlockList, isIP, isIPv6} from 'node:net';

/**
 * Who can be behind an address: anybody, the local network, this machine, or (link-local and the metadata services of clouds) whoever hands
 * out credentials to machines. `reserved` is nobody.
 */
export type AddressScope = 'public' | 'private' | 'loopback' | 'link-local' | 'reserved';

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
		list.addSubnet(net, Number(prefix), family(net));
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
	return lists.find(({list}) => list.check(plain, family(plain)))?.scope ?? 'public';
}

function family(address: string): 'ipv4' | 'ipv6' {
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
