import {expect, test} from 'vitest';
import {loginWorld} from '../logins/login-world.ts';
import {startRouterAuthorization} from '../servers/router-authorization.ts';
import {surf} from '../servers/surf.ts';
import {oauthWorld, remoteServer} from './oauth-world.ts';

test('a login to a server of the older SDK: registered, agreed to in a browser, refreshed, and asked for again once it is revoked', async () => {
	await using site = await startRouterAuthorization();
	await using world = await loginWorld({url: site.url});
	world.start();
	const {url = ''} = await world.waiting();
	expect((await surf(new URL(url))).page?.text).toContain('<h1>Logged in</h1>');
	expect(await world.over()).toMatchObject({status: 'succeeded', notes: []});
	expect(site.clients()).toMatchObject([
		{
			token_endpoint_auth_method: 'none',
			grant_types: ['authorization_code', 'refresh_token'],
			response_types: ['code'],
		},
	]);

	await using gateway = await oauthWorld({home: world.home});
	const connection = await gateway.connect(remoteServer(site.url));
	const echo = async (message: string) =>
		(await connection.client?.callTool({name: 'echo', arguments: {message}}))?.content;
	expect(await echo('a')).toEqual([{type: 'text', text: 'a'}]);
	const before = await world.file();
	site.expire();
	expect(await echo('b')).toEqual([{type: 'text', text: 'b'}]);
	expect(site.refreshCount()).toBe(1);
	const after = await world.file();
	expect(after['refresh_token']).not.toBe(before['refresh_token']);

	const [client] = site.clients();
	for (const token of ['access_token', 'refresh_token']) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {status} = await site.revoke(after[token] ?? '', client?.client_id ?? '');
		expect(status).toBe(200);
	}

	const refused = await connection.client
		?.callTool({name: 'echo', arguments: {message: 'c'}})
		.catch((error: unknown) => connection.explain?.(error));
	expect(refused).toMatchObject({kind: 'needs-login'});
});

test('a login with a code, which such a server does not offer, says so and what to do', async () => {
	await using site = await startRouterAuthorization();
	await using world = await loginWorld({url: site.url, oauth: {flow: 'device'}});
	world.start();
	const {status, reason} = await world.over();
	expect(status).toBe('failed');
	expect(reason).toContain(
		'does not advertise "device_authorization_endpoint". Log in with "--flow browser"',
	);
});
