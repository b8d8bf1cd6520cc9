import {Agent, fetch} from 'undici';
import {expect, test} from 'vitest';
import {messageOf} from '../../../source/core/errors.ts';
import {
	addressScope,
	guardedLookup,
	isPageForPeople,
	refusalOfUrl,
	scopeOfEndpoint,
} from '../../../source/mcp/wire/address-guard.ts';

test.for([
	['93.184.216.34', 'public'],
	['2606:2800:220:1::1', 'public'],
	['10.1.2.3', 'private'],
	['172.31.255.255', 'private'],
	['172.32.0.1', 'public'],
	['192.168.0.1', 'private'],
	['100.64.0.1', 'private'],
	['fd12:3456::1', 'private'],
	['127.0.0.1', 'loopback'],
	['0.0.0.0', 'loopback'],
	['::1', 'loopback'],
	['::', 'loopback'],
	['169.254.169.254', 'link-local'],
	['fe80::1', 'link-local'],
	['fd00:ec2::254', 'link-local'],
	['::ffff:127.0.0.1', 'loopback'],
	['::ffff:a9fe:a9fe', 'link-local'],
	['64:ff9b::10.0.0.1', 'private'],
	['2002:7f00:1::', 'loopback'],
	['224.0.0.1', 'reserved'],
	['255.255.255.255', 'reserved'],
	['example.org', undefined],
])('%s is %s', ([address = '', scope]) => {
	expect(addressScope(address)).toBe(scope);
});

test.for([
	// Spellings that the URL parser makes one.
	'https://169.254.169.254/latest/meta-data',
	'https://2852039166/',
	'https://0xa9fea9fe/',
	'https://[::ffff:127.0.0.1]/',
	'https://10.0.0.1/token',
	'https://localhost/token',
	'http://auth.example/token',
	'http://127.0.0.1/token',
	'https://user:password@auth.example/',
	'file:///etc/passwd',
])('a public tool server cannot lead us to %s', address => {
	expect(refusalOfUrl(new URL(address), 'public')).toBeTruthy();
});

test.for([
	['https://auth.example/token', 'public'],
	['https://10.0.0.1/token', 'private'],
	['https://10.0.0.1/token', 'loopback'],
	['http://127.0.0.1:9/token', 'loopback'],
	['http://localhost:9/token', 'loopback'],
	['https://127.0.0.1/token', 'loopback'],
] as const)('%s is for a %s tool server', ([address, home]) => {
	expect(refusalOfUrl(new URL(address), home)).toBeUndefined();
});

test.for([
	['http://127.0.0.1/token', 'private'],
	['http://10.0.0.1/token', 'loopback'],
	['https://169.254.169.254/', 'loopback'],
] as const)('%s is not for a %s tool server', ([address, home]) => {
	expect(refusalOfUrl(new URL(address), home)).toBeTruthy();
});

test.for([
	['http://localhost:8080/delete?all', 'public', false],
	['https://10.0.0.1/', 'public', false],
	['https://169.254.169.254/', 'loopback', false],
	['http://127.0.0.1:9/', 'private', false],
	['javascript:alert(1)', 'loopback', false],
	['https://a:b@as.example/', 'public', false],
	['http://127.0.0.1:9/', 'loopback', true],
	['https://10.0.0.1/', 'private', true],
	['https://as.example/', 'public', true],
] as const)('whether people are sent to %s for a %s tool server: %s', ([page, home, expected]) => {
	expect(isPageForPeople(new URL(page), home)).toBe(expected);
});

test('a tool server is as far away as the farthest of its addresses', async () => {
	const at = async (...addresses: string[]) =>
		scopeOfEndpoint(new URL('https://mcp.example/'), async () =>
			addresses.map(address => ({address, family: 4})),
		);

	expect(await at('10.0.0.1')).toBe('private');
	expect(await at('10.0.0.1', '93.184.216.34')).toBe('public');
	expect(await scopeOfEndpoint(new URL('http://localhost/mcp'))).toBe('loopback');
	expect(await scopeOfEndpoint(new URL('http://[::1]/mcp'))).toBe('loopback');
});

test('a name is connected to at the address that was judged, though it stands for another by then', async () => {
	const answers = ['93.184.216.34', '127.0.0.1'];
	const asked: string[] = [];
	const lookup = guardedLookup(new URL('https://mcp.example/mcp'), async host => {
		asked.push(host);
		return [
			{address: host === 'mcp.example' ? '93.184.216.35' : (answers.shift() ?? ''), family: 4},
		];
	});
	const find = async () =>
		new Promise((resolve, reject) => {
			lookup('auth.example', {}, (error, address) => {
				if (error) {
					reject(error);
				} else {
					resolve(address);
				}
			});
		});

	expect(await find()).toBe('93.184.216.34');
	expect(asked.filter(host => host === 'auth.example')).toHaveLength(1);
	await expect(find()).rejects.toThrow(
		'Cannot use "auth.example" as authorization server: a loopback address',
	);
});

test('undici connects nowhere when the lookup refuses', async () => {
	await using stack = new AsyncDisposableStack();
	const agent = new Agent({
		connect: {
			lookup: guardedLookup(new URL('https://93.184.216.34/mcp'), async () => [
				{address: '127.0.0.1', family: 4},
			]),
		},
	});
	stack.defer(async () => agent.destroy());

	const failure = await fetch('http://auth.example/', {dispatcher: agent}).catch(
		(error: unknown) => error,
	);

	expect(failure).toBeInstanceOf(TypeError);
	expect(messageOf((failure as Error).cause)).toContain('Cannot use "auth.example"');
});

test("the tool server's own name may stand for any address", async () => {
	const lookup = guardedLookup(new URL('https://mcp.example/mcp'), async () => [
		{address: '10.0.0.1', family: 4},
	]);

	const found = await new Promise(resolve => {
		lookup('mcp.example', {all: true}, (_error, addresses) => {
			resolve(addresses);
		});
	});

	expect(found).toEqual([{address: '10.0.0.1', family: 4}]);
});
