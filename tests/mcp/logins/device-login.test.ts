import {expect, test} from 'vitest';
import {createJumpClock} from '../e2e/jump-clock.ts';
import {oauthWorld, remoteServer} from '../oauth/oauth-world.ts';
import {answerCode} from '../servers/answer-code.ts';
import {startAuthorizationServer} from '../servers/authorization-server.ts';
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
		redirect_uris: [],
	});
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

const metadataOf = (issuer: string, more: Readonly<Record<string, unknown>> = {}) =>
	JSON.stringify({
		issuer,
		token_endpoint: `${issuer}/token`,
		registration_endpoint: `${issuer}/reg`,
		device_authorization_endpoint: `${issuer}/device/auth`,
		...more,
	});
