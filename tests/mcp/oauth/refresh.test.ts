// @module-tag slow
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setImmediate} from 'node:timers/promises';
import {expect, test, vi} from 'vitest';
import {bundleProgram} from '../../helpers/bundle-program.ts';
import {createJumpClock} from '../e2e/jump-clock.ts';
import {openManager} from '../e2e/open-manager.ts';
import {
	type AuthorizationServerOptions,
	startAuthorizationServer,
} from '../servers/authorization-server.ts';
import {oauthWorld, remoteServer} from './oauth-world.ts';

/** A world that is logged in and connected. */
async function loggedIn(options: AuthorizationServerOptions = {}) {
	const stack = new AsyncDisposableStack();
	const site = stack.use(await startAuthorizationServer(options));
	const world = stack.use(await oauthWorld());
	const server = remoteServer(site.url);
	await world.login(server);
	const connection = await world.connect(server);
	return {
		site,
		world,
		server,
		connection,
		refreshes: () =>
			site.tokenRequests().filter(form => form?.get('grant_type') === 'refresh_token'),
		/** The tool server does not take the present token any more. */
		async expire() {
			site.refuse((await world.file())['access_token'] ?? '');
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

test('"refresh is automatic": a call with an expired token succeeds', async () => {
	await using it = await loggedIn();
	const before = await it.world.file();
	await it.expire();

	expect(await it.connection.whoami?.()).toBe('alice');
	const after = await it.world.file();
	expect(after['access_token']).not.toBe(before['access_token']);
	expect(after['refresh_token']).not.toBe(before['refresh_token']);
	expect(after).toMatchObject({issuer: it.site.issuer, scope: before['scope']});
});

test('six calls at once with an expired token make one request to the token endpoint, and all succeed', async () => {
	await using it = await loggedIn();
	await it.expire();

	const answers = await Promise.all(Array.from({length: 6}, async () => it.connection.whoami?.()));

	expect(answers).toEqual(Array.from({length: 6}, () => 'alice'));
	expect(it.refreshes()).toHaveLength(1);
});

test('what a peer has refreshed is adopted without a request of our own', async () => {
	await using it = await loggedIn();
	await using peer = await oauthWorld({home: it.world.home});
	const other = await peer.connect(it.server);
	await it.expire();

	expect(await other.whoami?.()).toBe('alice');
	expect(await it.connection.whoami?.()).toBe('alice');
	expect(it.refreshes()).toHaveLength(1);
});

test('after invalid_grant the newer grant of a peer without our lock is adopted', async () => {
	const peer: {overtakes?: () => void} = {};
	await using it = await loggedIn({
		intercept({path, form}) {
			if (path !== '/token' || form?.get('grant_type') !== 'refresh_token') {
				return undefined;
			}

			peer.overtakes?.();
			return {status: 400, body: '{"error":"invalid_grant"}'};
		},
	});
	await using other = await oauthWorld();
	await other.login(it.server);
	const newer = JSON.stringify(await other.file());
	peer.overtakes = () => {
		writeFileSync(`${it.world.home}/mcp-tokens/crm.json`, newer);
	};
	await it.expire();

	expect(await it.connection.whoami?.()).toBe('alice');
	expect(JSON.stringify(await it.world.file())).toBe(newer);
});

test('two processes whose token expires at one moment share one refresh, eight times over', async () => {
	await using it = await loggedIn();
	const program = await bundleProgram(join(import.meta.dirname, 'refreshing-program.ts'));
	const peers = [1, 2].map(() => {
		const peer = spawn(process.execPath, [program, it.world.home, it.site.url], {
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		const lines = createInterface({input: peer.stdout})[Symbol.asyncIterator]();
		return {peer, ended: once(peer, 'exit'), next: async () => (await lines.next()).value};
	});
	const both = async () => Promise.all(peers.map(async ({next}) => next()));
	expect(await both()).toEqual(['connected', 'connected']);

	for (let round = 0; round < 8; round++) {
		await it.expire();
		for (const {peer} of peers) {
			peer.stdin.write('1\n');
		}

		expect(await both()).toEqual(['alice', 'alice']);
	}

	for (const {peer} of peers) {
		peer.stdin.end();
	}

	await Promise.all(peers.map(async ({ended}) => ended));
	expect(it.refreshes()).toHaveLength(8);
});

test('a revoked grant needs a login; the old files stay until a new grant replaces them', async () => {
	await using it = await loggedIn();
	const before = await it.world.file();
	await it.site.revokeRefreshToken(before['refresh_token'] ?? '');
	await it.expire();

	const failures = await Promise.all(
		Array.from({length: 3}, async () =>
			it.connection.whoami?.().catch((error: unknown) => it.connection.explain?.(error)),
		),
	);
	expect(failures).toEqual(
		Array.from({length: 3}, () => ({
			kind: 'needs-login',
			message: expect.stringContaining('run "svc mcp login crm"'),
		})),
	);
	expect(it.refreshes()).toHaveLength(1);
	expect(await it.world.file()).toEqual(before);

	await it.world.login(it.server);
	expect((await it.world.file())['access_token']).not.toBe(before['access_token']);
	expect(await it.connection.whoami?.()).toBe('alice');
});

test('a token endpoint that fails for a moment costs nobody a login', async () => {
	let fails = false;
	await using it = await loggedIn({
		intercept: ({path}) =>
			fails && path === '/token'
				? {status: 503, type: 'text/html', body: '<html>back soon</html>'}
				: undefined,
	});
	await it.expire();
	fails = true;

	const failure = await it.connection
		.whoami?.()
		.catch((error: unknown) => it.connection.explain?.(error));

	expect(failure).toEqual({
		kind: 'passing',
		message: 'Token refresh failed (HTTP 503): <html>back soon</html>',
	});
	fails = false;
	it.world.restart();
	expect(await (await it.world.connect(it.server)).whoami?.()).toBe('alice');
});

test('tokens are named as secrets, those of before too', async () => {
	await using it = await loggedIn();
	const before = await it.world.file();
	await it.expire();
	await it.connection.whoami?.();
	const after = await it.world.file();

	expect(it.world.secrets()).toEqual(
		expect.arrayContaining([
			before['access_token'],
			before['refresh_token'],
			after['access_token'],
			after['refresh_token'],
		]),
	);
});

test('while a server is connected its token is renewed at four fifths of its lifetime, though nobody uses it', async () => {
	const clock = createJumpClock();
	await using site = await startAuthorizationServer({lifetime: 1000});
	await using world = await oauthWorld({clock});
	const server = remoteServer(site.url);
	await world.login(server);
	const before = await world.file();
	await world.connect(server);
	// Another connection comes and goes, as that of a test does.
	await (await world.connect(server)).close?.();
	expect(site.tokenRequests()).toHaveLength(1);

	for (let minute = 0; minute < 14; minute++) {
		await setImmediate();
		clock.jump(60_000);
	}

	await site.tokenRequested(2);
	expect(site.tokenRequests().map(form => form?.get('grant_type'))).toEqual([
		'authorization_code',
		'refresh_token',
	]);
	await vi.waitFor(async () => {
		expect((await world.file())['access_token']).not.toBe(before['access_token']);
	});
	expect(await world.file()).toMatchObject({client: {client_id: expect.any(String)}});
});

/** A world that is logged in and stopped, whose token has ended meanwhile. */
async function pastItsEnd(options: AuthorizationServerOptions = {}) {
	const stack = new AsyncDisposableStack();
	const clock = createJumpClock();
	const site = stack.use(await startAuthorizationServer(options));
	const world = stack.use(await oauthWorld({clock}));
	const server = remoteServer(site.url);
	await world.login(server);
	const {access_token: old = ''} = await world.file();
	world.restart();
	// The login itself has presented it.
	site.forgetRequests();
	clock.jump(3_600_900);
	return {
		site,
		world,
		server,
		clock,
		old,
		/** How often the tool server got a token, and whether one of them was the old one. */
		presented: () =>
			site.arrived.flatMap(({at, headers: {authorization}}) =>
				at === 'tool server' && authorization !== undefined
					? [authorization === `Bearer ${old}` ? 'old' : 'new']
					: [],
			),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

test('a token that has ended is renewed before the first connection of a process presents it', async () => {
	await using it = await pastItsEnd();

	const connection = await it.world.connect(it.server);

	expect(await connection.whoami?.()).toBe('alice');
	expect(it.presented()).toContain('new');
	expect(it.presented()).not.toContain('old');
	expect(it.site.refreshCount()).toBe(1);
});

test('no way to a server presents a token that has ended: a start, a reconnect, a test, a lazy first call, a call after a sleep', async () => {
	await using it = await pastItsEnd();
	await using gateway = await openManager({
		clock: it.clock,
		loginOf: server => it.world.providers().of(server),
	});
	const {manager} = gateway;
	const leave = async () => manager.disconnect('crm');
	const ways: ReadonlyArray<readonly [string, () => Promise<unknown>, () => Promise<unknown>]> = [
		['start', async () => {}, async () => gateway.apply(it.server)],
		['reconnect', leave, async () => manager.connect('crm')],
		['test', leave, async () => manager.test(it.server)],
		[
			'lazy first call',
			async () => gateway.apply({...it.server, lazy: true}),
			async () => gateway.call('whoami'),
		],
		['call after a sleep', async () => {}, async () => gateway.call('whoami')],
	];
	for (const [way, prepare, go] of ways) {
		await prepare();
		const {access_token: old = ''} = await it.world.file();
		it.site.forgetRequests();
		it.clock.jump(3_600_900);

		await go();

		const sent = it.site.arrived.flatMap(({headers}) => headers.authorization ?? []);
		const isOld = new Set(sent.map(text => text === `Bearer ${old}`));
		expect({way, isOld: [...isOld]}).toEqual({way, isOld: [false]});
	}
});

test('processes that start at one moment with a token that has ended share one renewal', async () => {
	await using it = await pastItsEnd();
	await using peer = await oauthWorld({home: it.world.home, clock: it.clock});

	const connections = await Promise.all([
		it.world.connect(it.server),
		it.world.connect(it.server),
		peer.connect(it.server),
	]);

	expect(await Promise.all(connections.map(async each => each.whoami?.()))).toEqual([
		'alice',
		'alice',
		'alice',
	]);
	expect(it.presented()).not.toContain('old');
	expect(it.site.refreshCount()).toBe(1);
});

test('a connection that has slept beyond the end of its token renews it before the next call', async () => {
	await using it = await pastItsEnd();
	const connection = await it.world.connect(it.server);
	const {access_token: next = ''} = await it.world.file();
	it.site.forgetRequests();

	it.clock.jump(7_200_000);

	expect(await connection.whoami?.()).toBe('alice');
	const sent = it.site.arrived.flatMap(({headers}) => headers.authorization ?? []);
	expect(sent).not.toContain(`Bearer ${next}`);
});

test('a token that has ended and cannot be renewed for a moment is not presented', async () => {
	await using it = await pastItsEnd({
		intercept: ({path, form}) =>
			path === '/token' && form?.get('grant_type') === 'refresh_token'
				? {status: 503, type: 'text/html', body: '<html>back soon</html>'}
				: undefined,
	});

	const {failure} = await it.world.connect(it.server);

	expect(failure).toEqual({
		kind: 'passing',
		message: 'Token refresh failed (HTTP 503): <html>back soon</html>',
	});
	expect(it.presented()).toEqual([]);
});

test('a token that is about to end is presented once more while it cannot be renewed', async () => {
	await using it = await pastItsEnd({
		lifetime: 7200,
		intercept: ({path, form}) =>
			path === '/token' && form?.get('grant_type') === 'refresh_token'
				? {status: 503, type: 'text/html', body: '<html>back soon</html>'}
				: undefined,
	});
	const {expires_at: end = 0} = await it.world.file();
	it.clock.jump(Number(end) * 1000 - it.clock.now() - 5000);

	const connection = await it.world.connect(it.server);

	expect(await connection.whoami?.()).toBe('alice');
	expect(it.site.refreshCount()).toBeGreaterThan(0);
});

test('one file is the whole swap: a registration of another login beside the tokens does not count', async () => {
	await using it = await loggedIn();
	await writeFile(
		`${it.world.home}/mcp-tokens/crm.client.json`,
		JSON.stringify({client_id: 'of-a-login-that-was-cut-short', issuer: it.site.issuer}),
	);
	await it.expire();

	expect(await it.connection.whoami?.()).toBe('alice');
});

test('tokens that do not say whose they are belong to the client in the file beside them', async () => {
	await using it = await loggedIn();
	const {client: _, ...tokens} = await it.world.file();
	await writeFile(`${it.world.home}/mcp-tokens/crm.json`, JSON.stringify(tokens));
	await it.expire();

	expect(await it.connection.whoami?.()).toBe('alice');
});

test('metadata of another authorization server than that of the grant are found out again', async () => {
	await using it = await loggedIn();
	const known = await it.world.file('.meta.json');
	const other = 'https://other.example';
	await writeFile(
		`${it.world.home}/mcp-tokens/crm.meta.json`,
		JSON.stringify({
			...known,
			authorizationServerUrl: other,
			authorizationServerMetadata: {
				issuer: other,
				authorization_endpoint: `${other}/auth`,
				token_endpoint: `${other}/token`,
				response_types_supported: ['code'],
			},
		}),
	);
	it.world.restart();
	const connection = await it.world.connect(it.server);
	await it.expire();

	expect(await connection.whoami?.()).toBe('alice');
	expect(await it.world.file('.meta.json')).toMatchObject({
		authorizationServerMetadata: {issuer: it.site.issuer},
	});
});
