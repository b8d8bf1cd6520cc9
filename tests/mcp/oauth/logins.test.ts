import {readdir, stat, writeFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {startAuthorizationServer} from '../servers/authorization-server.ts';
import {browse} from '../servers/surf.ts';
import {callback, oauthWorld, remoteServer} from './oauth-world.ts';

const document = 'https://svc.example/oauth/client.json';

const documents = {
	[document]: {
		client_id: document,
		client_name: 'svc',
		redirect_uris: [callback],
		grant_types: ['authorization_code', 'refresh_token'],
		response_types: ['code'],
		token_endpoint_auth_method: 'none',
		application_type: 'native',
		scope: 'openid offline_access mcp:tools',
	},
};

test('a first login through the browser leads to a connection', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const server = remoteServer(site.url);

	await world.login(server);
	const connection = await world.connect(server);

	expect(await connection.whoami?.()).toBe('alice');
});

test('"tokens are persisted in ~/.svc/mcp-tokens/<server>.json and reused": after a restart nobody is asked', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const server = remoteServer(site.url);
	await world.login(server);
	const before = site.tokenRequests().length;

	world.restart();
	const connection = await world.connect(server);

	expect(await connection.whoami?.()).toBe('alice');
	expect(site.tokenRequests()).toHaveLength(before);
	expect(await world.file()).toMatchObject({issuer: site.issuer, url: site.url});
	expect(Number((await world.file())['expires_at'])).toBeGreaterThan(1_700_000_000);
});

test('files of a login are private from their creation, whatever the umask', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const umask = process.umask(0);
	try {
		await world.login(remoteServer(site.url));
	} finally {
		process.umask(umask);
	}

	const folder = `${world.home}/mcp-tokens`;
	const files = await readdir(folder);
	const modes = await Promise.all(files.map(async file => (await stat(`${folder}/${file}`)).mode));

	expect(files.toSorted()).toEqual(['crm.client.json', 'crm.json', 'crm.lock', 'crm.meta.json']);
	expect((await stat(folder)).mode & 0o777).toBe(0o700);
	expect(modes.map(mode => mode & 0o777)).toEqual([0o600, 0o600, 0o600, 0o600]);
});

test('a server without a grant needs a login, names the command, and nobody registers anywhere', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();

	const {failure} = await world.connect(remoteServer(site.url));

	expect(failure).toEqual({
		kind: 'needs-login',
		message: 'Tool server "crm" needs a login: run "svc mcp login crm"',
	});
	expect(site.arrived.filter(({at}) => at === 'authorization server')).toEqual([]);
});

test('whether a login is stored is asked of nobody', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const server = remoteServer(site.url);
	const stateOf = async () => world.providers().of(server)?.state();

	expect(await stateOf()).toEqual({
		status: 'needs login',
		reason: 'Tool server "crm" needs a login: run "svc mcp login crm"',
	});
	expect(site.arrived).toEqual([]);

	await world.login(server);
	const {length} = site.arrived;

	expect(await stateOf()).toEqual({status: 'logged in'});
	expect(site.arrived).toHaveLength(length);
});

test('a broken file needs a login, which replaces it', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const server = remoteServer(site.url);
	await world.login(server);
	await writeFile(`${world.home}/mcp-tokens/crm.json`, '{"access_token": "SECRET');

	const {failure} = await world.connect(server);
	expect(failure).toEqual({
		kind: 'needs-login',
		message: expect.stringMatching(
			/crm\.json": it does not hold a login; run "svc mcp login crm"$/,
		),
	});

	await world.login(server);
	expect(await (await world.connect(server)).whoami?.()).toBe('alice');
});

test('"an authorization server without code_challenge_methods_supported proceeds with a warning"', async () => {
	const known: {issuer?: string} = {};
	await using site = await startAuthorizationServer({
		intercept({path}) {
			const issuer = known.issuer ?? '';
			return path === '/.well-known/oauth-authorization-server'
				? {
						status: 200,
						body: JSON.stringify({
							issuer,
							authorization_endpoint: `${issuer}/auth`,
							token_endpoint: `${issuer}/token`,
							registration_endpoint: `${issuer}/reg`,
							response_types_supported: ['code'],
						}),
					}
				: undefined;
		},
	});
	known.issuer = site.issuer;
	await using world = await oauthWorld();

	await world.login(remoteServer(site.url));

	expect(world.records.map(({message}) => message)).toEqual([
		'the authorization server does not say that it knows PKCE',
	]);
	expect(await (await world.connect(remoteServer(site.url))).whoami?.()).toBe('alice');
});

test('"state" of another login is refused before the code is redeemed', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();

	const login = world.login(remoteServer(site.url), async url => {
		const params = await browse(url, callback);
		params.set('state', 'x'.repeat(params.get('state')?.length ?? 0));
		return params;
	});

	await expect(login).rejects.toThrow('came back with an answer to another login (state)');
	expect(site.tokenRequests()).toEqual([]);
});

test('an answer of another issuer is refused, and its words are not shown', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();

	const login = world.login(remoteServer(site.url), async url => {
		const params = await browse(url, callback);
		params.delete('code');
		params.set('iss', 'https://evil.example');
		params.set('error', 'access_denied');
		params.set('error_description', 'call 0900-EVIL');
		return params;
	});

	await expect(login).rejects.toThrow(
		/: the browser came back from another authorization server \(iss\)$/,
	);
	expect(site.tokenRequests()).toEqual([]);
});

test('static headers never reach an authorization server, and the agent is ours', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const server = remoteServer(
		site.url,
		{user_agent: 'Special/1'},
		{headers: {'X-Api-Key': 'static-secret'}},
	);

	await world.login(server);
	const connection = await world.connect(server);
	await connection.whoami?.();

	const outside = site.arrived.filter(({at}) => at === 'authorization server');
	const ours = outside.filter(({path}) => /well-known|reg|token/.test(path));
	expect(outside.filter(({headers}) => headers['x-api-key'] !== undefined)).toEqual([]);
	expect(
		ours
			.filter(({path}) => path !== '/token')
			.every(({headers}) => headers['user-agent']?.startsWith('Svc-Agent/')),
		'discovery and dynamic registration requests always carry User-Agent: Svc-Agent/<version>',
	).toBe(true);
	expect(
		ours.filter(({path}) => path === '/token').map(({headers}) => headers['user-agent']),
		'user_agent replaces the User-Agent on token-endpoint requests only',
	).toEqual(['Special/1']);
	const inside = site.arrived.filter(({at, path}) => at === 'tool server' && path === '/mcp');
	expect(inside.every(({headers}) => headers['x-api-key'] === 'static-secret')).toBe(true);
	expect(inside.some(({headers}) => headers['user-agent'] === 'Special/1')).toBe(false);
});

test('the configured scope wins over the advertised ones', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const asked: Array<string | null> = [];

	await world.login(remoteServer(site.url, {scope: 'openid mcp:tools'}), async url => {
		asked.push(url.searchParams.get('scope'), url.searchParams.get('prompt'));
		return browse(url, callback);
	});

	expect(asked).toEqual(['openid mcp:tools', null]);
});

test('a client metadata document identifies us where the server takes documents', async () => {
	await using site = await startAuthorizationServer({documents});
	await using world = await oauthWorld();
	const server = remoteServer(site.url, {client_metadata_url: document});

	await world.login(server);
	const connection = await world.connect(server);

	expect(await connection.whoami?.()).toBe('alice');
	expect(await world.file('.client.json')).toMatchObject({client_id: document});
	expect(site.arrived.filter(({path}) => path === '/reg')).toEqual([]);
});

test('"CIMD in use, token endpoint answers invalid_client": recorded in .cimd-off, and registered from then on', async () => {
	await using site = await startAuthorizationServer({
		documents,
		intercept: ({path, form}) =>
			path === '/token' && form?.get('client_id') === document
				? {status: 401, body: '{"error":"invalid_client"}'}
				: undefined,
	});
	await using world = await oauthWorld();
	const server = remoteServer(site.url, {client_metadata_url: document});

	await world.login(server);
	const connection = await world.connect(server);

	expect(await connection.whoami?.()).toBe('alice');
	expect(await readdir(`${world.home}/mcp-tokens`)).toContain('crm.cimd-off');
	expect((await world.file('.client.json'))['client_id']).not.toBe(document);
	expect(world.records.filter(({level}) => level === 'warn').map(({message}) => message)).toEqual([
		expect.stringContaining('refuses our client metadata document'),
	]);
});

test('"a failed code exchange reports the status plus a short redacted excerpt of the error body"', async () => {
	await using site = await startAuthorizationServer({
		intercept: ({path, form}) =>
			path === '/token'
				? {
						status: 500,
						type: 'text/html',
						body: `<html>oops\u001b[2J code=${form?.get('code')} ${'long '.repeat(200)}</html>`,
					}
				: undefined,
	});
	await using world = await oauthWorld();
	const codes: string[] = [];

	const failure = await world
		.login(remoteServer(site.url), async url => {
			const params = await browse(url, callback);
			codes.push(params.get('code') ?? '');
			return params;
		})
		.catch((error: unknown) => String(error));

	expect(failure).toContain('Token exchange failed (HTTP 500): <html>oops');
	expect(failure).not.toContain(codes[0]);
	expect(failure).not.toContain('\u001b');
	expect(failure?.length).toBeLessThan(350);
});

test('"when every metadata fetch fails the error leads with the statuses received and then the registration fallback\'s error"', async () => {
	await using site = await startAuthorizationServer({
		intercept: () => ({status: 404, type: 'text/html', body: '<html>nothing here</html>'}),
	});
	await using world = await oauthWorld();

	await expect(world.login(remoteServer(site.url))).rejects.toThrow(
		/OAuth metadata: (?:\d+, )+404; Registration failed: 404$/,
	);
});

test('a login that fails leaves the grant of before', async () => {
	let fails = false;
	await using site = await startAuthorizationServer({
		intercept: ({path}) => (fails && path === '/token' ? {status: 500, body: '{}'} : undefined),
	});
	await using world = await oauthWorld();
	const server = remoteServer(site.url);
	await world.login(server);
	const before = [await world.file(), await world.file('.client.json')];

	fails = true;
	await expect(world.login(server)).rejects.toThrow('Token exchange failed (HTTP 500)');

	expect([await world.file(), await world.file('.client.json')]).toEqual(before);
	expect(await (await world.connect(server)).whoami?.()).toBe('alice');
});

test('what was granted for one URL is not presented to another that took its name', async () => {
	await using site = await startAuthorizationServer();
	await using other = await startAuthorizationServer();
	await using world = await oauthWorld();
	await world.login(remoteServer(site.url));

	const {failure} = await world.connect(remoteServer(other.url));

	expect(failure?.kind).toBe('needs-login');
	expect(other.arrived.filter(({headers}) => headers.authorization !== undefined)).toEqual([]);
});

test('a server that always wants more is asked for in three logins at most', async () => {
	await using site = await startAuthorizationServer({
		refusal: {status: 403, challenge: 'error="insufficient_scope", scope="everything"'},
	});
	await using world = await oauthWorld();
	const scopes: Array<string | null> = [];

	const login = world.login(remoteServer(site.url), async url => {
		scopes.push(url.searchParams.get('scope'));
		return browse(url, callback);
	});

	await expect(login).rejects.toThrow('asks again after 3 logins');
	expect(scopes).toHaveLength(3);
	expect(scopes.at(-1)).toContain('everything');
});

test('a server that refuses the token it has just been given is no login', async () => {
	await using site = await startAuthorizationServer({
		refusal: {status: 401, challenge: 'error="invalid_token"'},
	});
	await using world = await oauthWorld();

	await expect(world.login(remoteServer(site.url))).rejects.toThrow(
		'Cannot log in to tool server "crm": it refuses the token that was granted',
	);
});

test('a grant of one authorization server is not refreshed at another, whoever the client is', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	await world.login(remoteServer(site.url));
	const stored = await world.file();
	await writeFile(
		`${world.home}/mcp-tokens/crm.json`,
		JSON.stringify({...stored, issuer: 'https://elsewhere.example', access_token: 'expired'}),
	);
	world.restart();

	const connected = await world.connect(remoteServer(site.url, {client_id: 'mine'}));

	expect(connected).toMatchObject({
		failure: {
			kind: 'needs-login',
			message: expect.stringContaining('has changed its authorization server'),
		},
	});
	expect(site.refreshCount()).toBe(0);
});
