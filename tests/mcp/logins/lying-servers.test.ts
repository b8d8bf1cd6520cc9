import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {ResolveName} from '../../../source/core/address-scope.ts';
import type {LoginFlow} from '../../../source/core/logins.ts';
import {logInByDevice} from '../../../source/mcp/logins/device/log-in-by-device.ts';
import {createJumpClock} from '../e2e/jump-clock.ts';
import {oauthWorld, remoteServer} from '../oauth/oauth-world.ts';
import {startAuthorizationServer} from '../servers/authorization-server.ts';
import {makeCertificates} from '../servers/certificates.ts';
import {always, startHttp} from '../servers/http-server.ts';
import {surf} from '../servers/surf.ts';
import {loginWorld} from './login-world.ts';

let certificates: Awaited<ReturnType<typeof makeCertificates>>;

beforeAll(async () => {
	certificates = await makeCertificates();
});

afterAll(async () => certificates[Symbol.asyncDispose]());

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

/** Metadata of an authorization server with one member more, as text. */
const metadataOf = (issuer: string, more: string): string =>
	JSON.stringify({
		issuer,
		authorization_endpoint: `${issuer}/auth`,
		token_endpoint: `${issuer}/token`,
		registration_endpoint: `${issuer}/reg`,
		device_authorization_endpoint: `${issuer}/device/auth`,
		response_types_supported: ['code'],
		code_challenge_methods_supported: ['S256'],
	}).replace(/\}$/, `,${more}}`);

const secret = 'SECRET-0123456789';

test.for([
	['a form', `access_token=${secret}&token_type=bearer&refresh_token=${secret}R`],
	['an end that is no number', {access_token: secret, token_type: 'b', expires_in: 'never'}],
	['no type', {refresh_token: `${secret}\u001b[2J`, access_token: `${secret}A`}],
	['a token inside of another answer', {data: {access_token: secret, id_token: `${secret}I`}}],
	['a token in an error', {error: 'x', error_description: `got access_token="${secret}"`}],
	['a token with a header behind it', {access_token: `${secret}\r\nX-Evil: 1`, token_type: 'b'}],
	[
		'a token of letters that no header takes',
		{access_token: `${secret}\u{1f600}`, token_type: 'b'},
	],
	['a token of 400 kB', {access_token: secret.repeat(25_000), token_type: 'b'}],
	[
		'a refresh token of 400 kB',
		{access_token: 'a', refresh_token: secret.repeat(25_000), token_type: 'b'},
	],
] as const)('an answer with %s grants nothing, and no token of it is shown', async ([, answer]) => {
	const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
	await using site = await startAuthorizationServer({
		intercept: ({path}) => (path === '/token' ? {status: 200, body} : undefined),
	});
	await using world = await loginWorld({url: site.url});

	world.start();
	await surf(new URL((await world.waiting()).url ?? ''));

	const {status, reason = ''} = await world.over();
	expect(status).toBe('failed');
	expect(reason).toContain('Token exchange failed (HTTP 200)');
	expect(reason).not.toContain('SECRET');
	expect(await world.files()).toEqual([]);
});

test.for(flows.flatMap(flow => [200, 100_000].map(depth => [flow, depth] as const)))(
	'a login (%s) is not begun with metadata that are nested %i levels deep',
	async ([flow, depth]) => {
		let issuer = '';
		await using site = await startAuthorizationServer({
			intercept: ({path}) =>
				path.startsWith('/.well-known/')
					? {
							status: 200,
							body: metadataOf(issuer, `"x":${'['.repeat(depth)}${']'.repeat(depth)}`),
						}
					: undefined,
		});
		({issuer} = site);
		await using world = await loginWorld({url: site.url});

		world.start(flow);

		const {status, reason} = await world.waiting();
		expect(status).toBe('failed');
		expect(reason).toContain('nested too deep');
	},
);

test('metadata that are too large to be read again are not kept; the login is', async () => {
	let issuer = '';
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path.startsWith('/.well-known/')
				? {status: 200, body: metadataOf(issuer, `"x":[${'1,'.repeat(300_000)}1]`)}
				: undefined,
	});
	({issuer} = site);
	await using world = await loginWorld({url: site.url});

	world.start();
	await surf(new URL((await world.waiting()).url ?? ''));

	expect(await world.over()).toMatchObject({status: 'succeeded'});
	expect(await world.file('.meta.json')).toEqual({url: site.url});
});

test('nobody is shown an address that is longer than any page has', async () => {
	let issuer = '';
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path.startsWith('/.well-known/')
				? {
						status: 200,
						body: metadataOf(issuer, `"authorization_endpoint":"${issuer}/${'a'.repeat(200_000)}"`),
					}
				: undefined,
	});
	({issuer} = site);
	await using world = await loginWorld({url: site.url, environment: {BROWSER: 'true'}});

	world.start();

	const {status, reason} = await world.waiting();
	expect(status).toBe('failed');
	expect(reason).toMatch(
		/would send you to "http.{80,120}…", which is longer than 16384 characters/,
	);
});

test.for([
	['device', 'device_authorization_endpoint'],
	['device', 'registration_endpoint'],
	['browser', 'registration_endpoint'],
	['browser', 'token_endpoint'],
] as const)('a login (%s) asks nothing of a link-local %s', async ([flow, endpoint]) => {
	let issuer = '';
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path.startsWith('/.well-known/')
				? {status: 200, body: metadataOf(issuer, `"${endpoint}":"https://169.254.169.254/x"`)}
				: undefined,
	});
	({issuer} = site);
	await using world = await loginWorld({url: site.url});

	world.start(flow);
	const {url} = await world.waiting();
	await (url === undefined ? undefined : surf(new URL(url)));

	const {status, reason} = await world.over();
	expect(status).toBe('failed');
	expect(reason).toContain('and that is refused: a link-local address');
});

/** As a name server that first says where it is, too, and from then on that it is this machine. */
const fickle = (): ResolveName => {
	let others = ['93.184.216.34'];
	return async () => {
		const addresses = ['127.0.0.1', ...others];
		others = [];
		return addresses.map(address => ({address, family: 4}));
	};
};

const names: Readonly<Record<string, () => ResolveName>> = {
	'this machine': () => async () => [{address: '127.0.0.1', family: 4}],
	'this machine for a moment': fickle,
};

test.for(
	flows.flatMap(flow =>
		Object.keys(names).flatMap(name =>
			[{}, {client_id: 'mine'}].map(oauth => [flow, name, oauth] as const),
		),
	),
)(
	'a login (%s) at a name that stands for %s asks nothing of this machine and shows no page of it, with %j',
	async ([flow, name, oauth]) => {
		await using victim = await startHttp(always(200, 'application/json', '{"client_id":"c"}'));
		let origin = '';
		await using liar = await startHttp((request, response) => {
			const {url = ''} = request;
			response.writeHead(url === '/mcp' ? 401 : url.includes('-resource') ? 404 : 200, {
				'content-type': 'application/json',
			});
			response.end(
				JSON.stringify({
					issuer: origin,
					authorization_endpoint: `${victim.origin}/admin?delete=1`,
					token_endpoint: `${victim.origin}/internal/token`,
					registration_endpoint: `${victim.origin}/internal/reg?cmd=1`,
					device_authorization_endpoint: `${victim.origin}/internal/device`,
					response_types_supported: ['code'],
					code_challenge_methods_supported: ['S256'],
				}),
			);
		}, certificates.server);
		origin = `https://mcp.evil.test:${liar.port}`;
		await using world = await oauthWorld({resolve: names[name]?.()});
		const server = remoteServer(`${origin}/mcp`, oauth, {tls: {verify: false}});
		const shown: string[] = [];

		const login =
			flow === 'browser'
				? world.login(server, async url => {
						shown.push(url.href);
						throw new Error('shown');
					})
				: logInByDevice(
						server,
						{
							open: world.open,
							secrets: [],
							signal: new AbortController().signal,
							showCode: ({verificationUri}) => shown.push(verificationUri),
							onAsked() {},
							onAgreed() {},
						},
						await world.providers().requestsOf(server),
					);

		await expect(login).rejects.toThrow(/it is not an https|is not https:/);
		expect({asked: victim.requests, shown}).toEqual({asked: [], shown: []});
	},
);

/** A tool server that answers messages alone: whatever else its endpoint or `/silent` is asked stays unanswered. `left`: such a request was given up. */
async function startSilent(challenge: (origin: string) => string, onAsked: () => void) {
	const left = Promise.withResolvers<void>();
	const server = await startHttp((request, response) => {
		void (async () => {
			const text = (await request.toArray()).join('');
			const {url = ''} = request;
			if (url === '/mcp' && text.includes('jsonrpc')) {
				response.writeHead(401, {'www-authenticate': challenge(server.origin)}).end();
			} else if (url === '/mcp' || url === '/silent') {
				response.once('close', left.resolve);
				onAsked();
			} else if (url === '/.well-known/oauth-authorization-server') {
				response.writeHead(200, {'content-type': 'application/json'});
				response.end(metadataOf(server.origin, `"registration_endpoint":"${server.url}"`));
			} else {
				response.writeHead(404).end();
			}
		})();
	});
	return {...server, left: left.promise};
}

const challenges: Readonly<Record<string, (origin: string) => string>> = {
	metadata: origin => `Bearer resource_metadata="${origin}/mcp"`,
	registration: () => 'Bearer',
};

test.for(flows.flatMap(flow => Object.entries(challenges).map(each => [flow, ...each] as const)))(
	'a login (%s) does not wait for ever for %s that a tool server has at its own endpoint',
	async ([flow, , challenge]) => {
		const clock = createJumpClock();
		await using silent = await startSilent(challenge, () => {
			clock.jump(10_000);
		});
		await using world = await loginWorld({url: silent.url, clock});

		world.start(flow);

		expect(await world.over()).toMatchObject({
			status: 'failed',
			reason: expect.stringContaining('no complete answer within 10 s'),
		});
	},
);

test.for(flows)(
	'a login (%s) that is cancelled leaves an authorization server that is silent at once',
	async flow => {
		const asked = Promise.withResolvers<void>();
		await using silent = await startSilent(
			origin => `Bearer resource_metadata="${origin}/silent"`,
			asked.resolve,
		);
		await using world = await loginWorld({url: silent.url, clock: createJumpClock()});

		world.start(flow);
		await asked.promise;
		world.cancel();

		await silent.left;
		expect(world.shown()).toMatchObject({status: 'cancelled'});
	},
);
