import {rm} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {startTestGateway} from '../helpers/gateway.ts';
import {oauthWorld, remoteServer} from '../mcp/oauth/oauth-world.ts';
import {startAuthorizationServer} from '../mcp/servers/authorization-server.ts';

test('a login made in a second shell reconnects the gateway that runs; runs have the tools from then on, until a logout', async () => {
	await using site = await startAuthorizationServer();
	await using gateway = await startTestGateway({
		config: {
			mcp_servers: {crm: {url: site.url, auth: 'oauth', trust: 'full'}},
			model: {provider: 'offline'},
		},
		subscriptions: {ask: {prompt: '/tool mcp__crm__whoami {}'}},
	});
	const needsLogin = await gateway.until(({servers}) => servers[0]?.status === 'needs login');
	expect(needsLogin.servers[0]?.reason).toBe(
		'Tool server "crm" needs a login: run "svc mcp login crm"',
	);
	expect(
		site.arrived.filter(({at}) => at === 'authorization server'),
		'"background contexts never open a browser"',
	).toEqual([]);

	await using shell = await oauthWorld({home: gateway.home.path});
	expect(needsLogin.servers[0]?.login).toEqual({flow: 'browser', stored: false});
	await shell.login(remoteServer(site.url));
	const connected = await gateway.until(({servers}) => servers[0]?.status === 'connected');
	expect(connected.servers[0]?.login).toEqual({
		flow: 'browser',
		stored: true,
		issuer: new URL(site.issuer).host,
		scope: 'mcp:tools',
		expiresAt: expect.closeTo(Date.now() + 3_600_000, -5),
	});
	await gateway.send('ask', {});
	expect((await gateway.ended(1)).fullAnswer).toContain('alice');

	await rm(gateway.home.file('mcp-tokens/crm.json'));
	const loggedOut = await gateway.until(({servers}) => servers[0]?.login?.stored === false);
	expect(loggedOut.servers[0], 'until somebody needs it').toMatchObject({status: 'connected'});
	await gateway.send('ask', {});
	expect((await gateway.ended(2)).fullAnswer).toContain('svc mcp login crm');
	await gateway.until(({servers}) => servers[0]?.status === 'needs login');

	await shell.login(remoteServer(site.url));
	await gateway.until(({servers}) => servers[0]?.status === 'connected');
});
