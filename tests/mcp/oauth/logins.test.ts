import {expect, test} from 'vitest';
import {startAuthorizationServer} from '../servers/authorization-server.ts';
import {oauthWorld, remoteServer} from './oauth-world.ts';

test('a first login through the browser leads to a connection', async () => {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const server = remoteServer(site.url);

	await world.login(server);
	const connection = await world.connect(server);

	expect(await connection.whoami?.()).toBe('alice');
});
