import {expect, test} from 'vitest';
import {createJumpClock} from '../e2e/jump-clock.ts';
import {oauthWorld, remoteServer} from '../oauth/oauth-world.ts';
import {startAuthorizationServer} from '../servers/authorization-server.ts';
import {answerCode} from '../servers/surf.ts';
import {loginWorld} from './login-world.ts';

const pollMs = 5000;

test('a login with a code: the page and the code are shown, and once a person has agreed there, it is stored and refreshed', async () => {
	await using site = await startAuthorizationServer();
	const clock = createJumpClock();
	await using world = await loginWorld({url: site.url, oauth: {flow: 'device'}, clock});
	const {host} = new URL(site.url);

	world.start();
	const waiting = await world.waiting();
	expect(waiting).toMatchObject({
		flow: 'device',
		status: 'waiting',
		serverHost: host,
		verificationUri: `${site.issuer}/device`,
		verificationHost: new URL(site.issuer).host,
		userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
	});
	expect(waiting.url).toBeUndefined();
	expect((waiting.endsAt ?? 0) - waiting.startedAt).toBeLessThanOrEqual(301_000);

	await answerCode(waiting.verificationUriComplete ?? '');
	clock.jump(pollMs);
	expect(await world.over()).toMatchObject({status: 'succeeded'});

	const [registration] = site.registrations();
	expect(registration).toMatchObject({
		grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
	});
	expect(registration, 'strict servers refuse an empty list').not.toHaveProperty('redirect_uris');
	await using gateway = await oauthWorld({home: world.home});
	const connection = await gateway.connect(remoteServer(site.url));
	expect(await connection.whoami?.()).toBe('alice');
	site.refuse((await world.file())['access_token'] ?? '');
	expect(await connection.whoami?.(), 'after a refresh').toBe('alice');
});

test('"failed device grants do not replace saved credentials": denied, nothing of the login before is touched', async () => {
	await using site = await startAuthorizationServer();
	const clock = createJumpClock();
	await using before = await oauthWorld();
	await before.login(remoteServer(site.url));
	await using world = await loginWorld({url: site.url, clock, home: before.home});
	const files = [
		await world.file(),
		await world.file('.client.json'),
		await world.file('.meta.json'),
	];

	world.start('device');
	const {verificationUriComplete = ''} = await world.waiting();
	await answerCode(verificationUriComplete, {denies: true});
	clock.jump(pollMs);

	expect(await world.over()).toMatchObject({
		status: 'failed',
		reason: `Cannot log in to tool server "crm": it was denied on the page of ${new URL(site.issuer).host}`,
	});
	expect([
		await world.file(),
		await world.file('.client.json'),
		await world.file('.meta.json'),
	]).toEqual(files);
});

test('a grant that the tool server refuses does not take the place of the login before', async () => {
	await using site = await startAuthorizationServer({
		refusal: {status: 401, challenge: 'error="invalid_token"'},
	});
	const clock = createJumpClock();
	await using world = await loginWorld({url: site.url, clock});

	world.start('device');
	const {verificationUriComplete = ''} = await world.waiting();
	await answerCode(verificationUriComplete);
	clock.jump(pollMs);

	expect(await world.over()).toMatchObject({
		status: 'failed',
		reason: 'Cannot log in to tool server "crm": it refuses the token that was granted',
	});
	await expect(world.file()).rejects.toThrow('ENOENT');
});

test('a login with a code waits no longer than "oauth.timeout"', async () => {
	await using site = await startAuthorizationServer();
	const clock = createJumpClock();
	await using world = await loginWorld({url: site.url, oauth: {flow: 'device', timeout: 4}, clock});

	world.start();
	await world.waiting();
	clock.jump(4000);

	expect(await world.over()).toMatchObject({
		reason: expect.stringContaining('nobody agreed within 4 s ("timeout" in its oauth settings)'),
	});
});

test('"unsupported authorization-server metadata for device login gives an actionable error and does not fall back"', async () => {
	const known: {issuer?: string} = {};
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path.startsWith('/.well-known/')
				? {
						status: 200,
						body: metadataOf(known.issuer ?? '', {grant_types_supported: ['authorization_code']}),
					}
				: undefined,
	});
	known.issuer = site.issuer;
	await using world = await loginWorld({url: site.url});

	world.start('device');

	expect(await world.over()).toMatchObject({
		status: 'failed',
		reason: `Cannot log in to tool server "crm" with a code: no authorization server of it gives codes to devices: "${site.issuer}" does not offer the "device_code" grant. Log in with "--flow browser"`,
	});
	expect(site.registrations()).toEqual([]);
	expect(await world.files()).toEqual([]);
});

test('a server for devices alone, whose metadata name no page for browsers, can be logged in to and refreshed', async () => {
	const known: {issuer?: string} = {};
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path.startsWith('/.well-known/')
				? {status: 200, body: metadataOf(known.issuer ?? '')}
				: undefined,
	});
	known.issuer = site.issuer;
	const clock = createJumpClock();
	await using world = await loginWorld({url: site.url, clock});

	world.start('device');
	await answerCode((await world.waiting()).verificationUriComplete ?? '');
	clock.jump(pollMs);
	expect(await world.over()).toMatchObject({status: 'succeeded'});

	await using gateway = await oauthWorld({home: world.home});
	const connection = await gateway.connect(remoteServer(site.url));
	site.refuse((await world.file())['access_token'] ?? '');
	expect(await connection.whoami?.()).toBe('alice');
});

test('"oauth.user_agent" goes with polls, not with the request for a code', async () => {
	await using site = await startAuthorizationServer();
	const clock = createJumpClock();
	await using world = await loginWorld({
		url: site.url,
		oauth: {user_agent: 'Special/1', scope: 'mcp:tools'},
		clock,
	});

	world.start('device');
	await answerCode((await world.waiting()).verificationUriComplete ?? '');
	clock.jump(pollMs);
	await world.over();

	const agents = (path: string) =>
		site.arrived.filter(request => request.path === path).map(({headers}) => headers['user-agent']);
	expect(agents('/token')).toEqual(['Special/1']);
	expect(agents('/device/auth')).toEqual([expect.stringMatching(/^Svc-Agent\//)]);
	const asked = site.arrived.find(({path}) => path === '/device/auth');
	expect(asked?.form?.get('scope')).toBe('mcp:tools');
	expect(asked?.form?.get('resource')).toBe(site.url);
});

test.for([
	[
		'a server that wants no secret of a client that needs none',
		{method: 'none', wants: false},
		[false],
	],
	['a server that gives a secret without a word, and wants it', {wants: true}, [true]],
	[
		'a server that calls us public, and wants its secret',
		{method: 'none', wants: true},
		[false, true],
	],
	[
		'a server that gives a secret, and refuses who shows it',
		{wants: false, refuses: true},
		[true, true, false],
	],
] as const)('%s', async ([, quirk, expected]) => {
	const {wants} = quirk;
	const showed: boolean[] = [];
	await using site = await startAuthorizationServer({
		intercept({path, form, headers}) {
			const shows = headers.authorization !== undefined || form?.has('client_secret') === true;
			if (path === '/reg') {
				return {
					status: 201,
					body: JSON.stringify({
						client_id: 'c',
						client_secret: 's3cret-word',
						...('method' in quirk && {token_endpoint_auth_method: quirk.method}),
					}),
				};
			}

			if (path === '/token') {
				return {status: 400, body: '{"error":"access_denied"}'};
			}

			if (path !== '/device/auth') {
				return undefined;
			}

			showed.push(shows);
			return (wants && !shows) || ('refuses' in quirk && shows)
				? {status: 401, body: '{"error":"invalid_client"}'}
				: {
						status: 200,
						body: JSON.stringify({
							device_code: 'd',
							user_code: 'ABCD',
							verification_uri: 'https://as.example/device',
							expires_in: 60,
						}),
					};
		},
	});
	const clock = createJumpClock();
	await using world = await loginWorld({url: site.url, clock});

	world.start('device');
	expect(await world.waiting()).toMatchObject({status: 'waiting', userCode: 'ABCD'});
	expect(showed).toEqual(expected);
	clock.jump(pollMs);

	expect(await world.over()).toMatchObject({status: 'failed'});
	const poll = site.arrived.find(({path}) => path === '/token');
	expect(
		poll?.headers.authorization !== undefined || poll?.form?.has('client_secret') === true,
		'what was taken once is said from then on',
	).toBe(expected.at(-1));
});

test('the client of the settings asks with its secret, and is not replaced', async () => {
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path === '/device/auth'
				? {
						status: 400,
						body: '{"error":"invalid_scope","error_description":"no \\u001b[2J s3cret-word"}',
					}
				: undefined,
	});
	await using world = await loginWorld({
		url: site.url,
		oauth: {
			client_id: 'mine',
			client_secret: 's3cret-word',
			token_endpoint_auth_method: 'client_secret_post',
		},
	});

	world.start('device');

	expect((await world.over()).reason).toBe(
		'Cannot log in to tool server "crm": Device authorization failed (HTTP 400): invalid_scope, no ␛[2J [redacted]',
	);
	expect(site.registrations()).toEqual([]);
	const asked = site.arrived.filter(({path}) => path === '/device/auth');
	expect(asked.map(({form}) => [form?.get('client_id'), form?.get('client_secret')])).toEqual([
		['mine', 's3cret-word'],
	]);
});

const metadataOf = (issuer: string, more: Readonly<Record<string, unknown>> = {}) =>
	JSON.stringify({
		issuer,
		token_endpoint: `${issuer}/token`,
		registration_endpoint: `${issuer}/reg`,
		device_authorization_endpoint: `${issuer}/device/auth`,
		...more,
	});
