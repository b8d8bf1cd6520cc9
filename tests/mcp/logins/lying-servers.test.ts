import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, test} from 'vitest';
import type {LoginFlow} from '../../../source/core/logins.ts';
import {startAuthorizationServer, surf} from '../servers/authorization-server.ts';
import {loginWorld} from './login-world.ts';

/** A tool server on this machine that leads to `authorizationServer`, and answers everything else as `others` does. */
async function startLiar(
	authorizationServer: (origin: string) => string,
	others: (origin: string) => RequestListener = () => (_, response) => {
		response.writeHead(404).end();
	},
) {
	const requests: string[] = [];
	const server = createServer((request, response) => {
		requests.push(request.url ?? '');
		if (request.url === '/mcp') {
			response.writeHead(401, {
				'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
			});
			response.end();
		} else if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
			response.writeHead(200, {'content-type': 'application/json'});
			response.end(
				JSON.stringify({
					resource: `${origin}/mcp`,
					authorization_servers: [authorizationServer(origin)],
				}),
			);
		} else {
			others(origin)(request, response);
		}
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url: `${origin}/mcp`,
		requests,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

const flows: readonly LoginFlow[] = ['browser', 'device'];

const places = [
	'https://169.254.169.254/',
	'https://2852039166/',
	'https://[::ffff:169.254.169.254]/',
	'http://10.0.0.1/',
	'http://as.example/',
] as const;

test.for(flows.flatMap(flow => places.map(place => [flow, place] as const)))(
	'a login (%s) asks nothing of %s, to which a tool server leads',
	async ([flow, place]) => {
		await using liar = await startLiar(() => place);
		await using world = await loginWorld({url: liar.url});

		world.start(flow);

		const {status, reason = ''} = await world.over();
		expect(status).toBe('failed');
		expect(reason).toMatch(/and that is refused: (?:a link-local address|it is not an https)/);
	},
);

test.for(flows)(
	'metadata that redirect to another place are not followed there (%s)',
	async flow => {
		await using other = await startLiar(() => '');
		await using liar = await startLiar(
			origin => origin,
			() => (_, response) => {
				response.writeHead(302, {location: `${new URL(other.url).origin}/elsewhere`}).end();
			},
		);
		await using world = await loginWorld({url: liar.url});

		world.start(flow);

		expect(await world.over()).toMatchObject({status: 'failed'});
		expect(other.requests).toEqual([]);
	},
);

test('a token endpoint that answers with a page, and 200, has granted nothing', async () => {
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path === '/token'
				? {status: 200, type: 'text/html', body: '<html>Welcome \u001b[2J</html>'}
				: undefined,
	});
	await using world = await loginWorld({url: site.url});

	world.start();
	const {page} = await surf(new URL((await world.waiting()).url ?? ''));

	expect(page?.text).toContain('could not be completed');
	expect(await world.over()).toMatchObject({
		status: 'failed',
		reason:
			'Cannot log in to tool server "crm": Token exchange failed (HTTP 200): <html>Welcome ␛[2J</html>',
	});
	expect(await world.files()).toEqual([]);
});

test('an authorization server that refuses to register us is quoted, in one line', async () => {
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path === '/reg'
				? {status: 403, body: '{"error":"access_denied","error_description":"by\\n appointment"}'}
				: undefined,
	});
	for (const flow of flows) {
		await using world = await loginWorld({url: site.url});
		world.start(flow);
		expect(await world.over()).toMatchObject({
			reason:
				'Cannot log in to tool server "crm": Registration failed: 403: access_denied, by appointment',
		});
	}
});
