import type {LookupFunction} from 'node:net';
import {Agent, fetch} from 'undici';
import {expect, test} from 'vitest';
import type {ResolveName} from '../../../source/core/address-scope.ts';
import {messageOf} from '../../../source/core/errors.ts';
import {
	endpointPlace,
	isPageForPeople,
	refusalOfUrl,
} from '../../../source/mcp/wire/address-guard.ts';

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
	['https://mcp.localhost/token', 'private'],
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
	['https://localhost./', 'public', false],
	['https://app.localhost/', 'public', false],
	['https://app.localhost/', 'private', true],
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

/** Answers with the next of these, then with the last again and again. */
const answering = (...answers: ReadonlyArray<readonly string[]>): ResolveName => {
	const left = [...answers];
	return async () =>
		((left.length > 1 ? left.shift() : left[0]) ?? []).map(address => ({address, family: 4}));
};

const found = async (lookup: LookupFunction, host: string): Promise<unknown> =>
	new Promise((resolve, reject) => {
		lookup(host, {all: true}, (error, addresses) => {
			if (error) {
				reject(error);
			} else {
				resolve(addresses);
			}
		});
	});

test.for([
	['http://localhost/mcp', 'loopback'],
	['http://127.0.0.1/mcp', 'loopback'],
	['http://[::1]/mcp', 'loopback'],
	['http://10.0.0.1/mcp', 'private'],
	['http://169.254.1.1/mcp', 'private'],
	['http://93.184.216.34/mcp', 'public'],
] as const)('a tool server at %s is %s, and its name is not looked up', async ([url, scope]) => {
	const {home} = endpointPlace(new URL(url), {
		resolve: async () => {
			throw new Error('asked');
		},
	});

	expect(await home()).toBe(scope);
});

test.for([
	['127.0.0.1', 'private'],
	['169.254.169.254', 'private'],
	['10.0.0.1', 'private'],
	['93.184.216.34', 'public'],
] as const)(
	'a name that stands for %s is %s: only a literal and "localhost" are this machine',
	async ([address, scope]) => {
		const {home} = endpointPlace(new URL('https://mcp.example/'), {resolve: answering([address])});

		expect(await home()).toBe(scope);
	},
);

test('a tool server is as far away as the farthest address that its connections were given', async () => {
	const {home, ownLookup} = endpointPlace(new URL('https://mcp.example/'), {
		resolve: answering(['10.0.0.1'], ['10.0.0.2', '93.184.216.34'], ['127.0.0.1']),
	});

	await found(ownLookup, 'mcp.example');
	expect(await home()).toBe('private');
	await found(ownLookup, 'mcp.example');
	expect(await home()).toBe('public');
	await found(ownLookup, 'mcp.example');
	expect(await home()).toBe('public');
});

test('once there was a connection, no later answer of the name server counts', async () => {
	const {home, ownLookup} = endpointPlace(new URL('https://mcp.example/'), {
		resolve: answering(['93.184.216.34'], ['127.0.0.1']),
	});

	await found(ownLookup, 'mcp.example');

	expect(await home()).toBe('public');
});

test('behind a proxy a name is public, and is not looked up', async () => {
	const {home} = endpointPlace(new URL('https://mcp.example/'), {
		isProxied: true,
		resolve: async () => {
			throw new Error('asked');
		},
	});

	expect(await home()).toBe('public');
});

test('a name is connected to at the address that was judged, though it stands for another by then', async () => {
	const answers = ['93.184.216.34', '127.0.0.1'];
	const asked: string[] = [];
	const {guardedLookup} = endpointPlace(new URL('https://mcp.example/mcp'), {
		async resolve(host) {
			asked.push(host);
			const address = host === 'mcp.example' ? '93.184.216.35' : (answers.shift() ?? '');
			return [{address, family: 4}];
		},
	});

	expect(await found(guardedLookup, 'auth.example')).toEqual([
		{address: '93.184.216.34', family: 4},
	]);
	expect(asked.filter(host => host === 'auth.example')).toHaveLength(1);
	await expect(found(guardedLookup, 'auth.example')).rejects.toThrow(
		'Cannot use "auth.example" as authorization server: a loopback address',
	);
});

test('undici connects nowhere when the lookup refuses', async () => {
	await using stack = new AsyncDisposableStack();
	const {guardedLookup} = endpointPlace(new URL('https://93.184.216.34/mcp'), {
		resolve: answering(['127.0.0.1']),
	});
	const agent = new Agent({connect: {lookup: guardedLookup}});
	stack.defer(async () => agent.destroy());

	const failure = await fetch('http://auth.example/', {dispatcher: agent}).catch(
		(error: unknown) => error,
	);

	expect(failure).toBeInstanceOf(TypeError);
	expect(messageOf((failure as Error).cause)).toContain('Cannot use "auth.example"');
});

test("another port of the tool server's own machine may be asked, wherever that is; a new address of its name that is nearer may not", async () => {
	const {ownLookup, guardedLookup} = endpointPlace(new URL('https://mcp.example/mcp'), {
		resolve: answering(['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2']),
	});
	await found(ownLookup, 'mcp.example');

	expect(await found(guardedLookup, 'mcp.example')).toEqual([{address: '127.0.0.1', family: 4}]);
	await expect(found(guardedLookup, 'mcp.example')).rejects.toThrow('a loopback address');
});

test.for([
	['127.0.0.1', 'refused'],
	['169.254.169.254', 'refused'],
	['192.168.0.9', 'asked'],
] as const)(
	'another port of a tool server that is public, too, and %s by its name: %s',
	async ([near, expected]) => {
		const {ownLookup, guardedLookup} = endpointPlace(new URL('https://mcp.example/mcp'), {
			resolve: answering([near, '93.184.216.34']),
		});
		await found(ownLookup, 'mcp.example');

		const answer = found(guardedLookup, 'mcp.example').then(
			() => 'asked',
			() => 'refused',
		);

		expect(await answer).toBe(expected);
	},
);
