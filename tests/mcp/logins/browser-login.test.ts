import {once} from 'node:events';
import {createServer} from 'node:net';
import {networkInterfaces} from 'node:os';
import {expect, test} from 'vitest';
import {declaredClient} from '../../../source/mcp/logins/declared-client.ts';
import {pinnedPorts} from '../../../source/mcp/oauth/client-document.ts';
import {createJumpClock} from '../e2e/jump-clock.ts';
import {oauthWorld, remoteServer} from '../oauth/oauth-world.ts';
import {startAuthorizationServer} from '../servers/authorization-server.ts';
import {surf} from '../servers/surf.ts';
import {loginWorld} from './login-world.ts';

const document = 'https://svc.example/oauth/client.json';
const documents = {[document]: declaredClient(document)};

test('the page, the port and the end are shown; the browser ends on a page of ours once the login is stored', async () => {
	await using site = await startAuthorizationServer();
	await using world = await loginWorld({url: site.url});

	world.start();
	const waiting = await world.waiting();
	expect(waiting).toMatchObject({
		status: 'waiting',
		flow: 'browser',
		opened: false,
		serverHost: new URL(site.url).host,
	});
	expect(waiting.redirectPort).toBeGreaterThanOrEqual(27_890);
	expect(waiting.redirectPort).toBeLessThanOrEqual(27_894);
	expect((waiting.endsAt ?? 0) - waiting.startedAt).toBeGreaterThanOrEqual(300_000);
	const url = new URL(waiting.url ?? '');
	expect(url.searchParams.get('redirect_uri')).toBe(
		`http://127.0.0.1:${waiting.redirectPort}/callback`,
	);
	expect(url.searchParams.get('code_challenge_method')).toBe('S256');
	expect(url.searchParams.get('resource')).toBe(site.url);

	const {page} = await surf(url);
	expect(page?.text).toContain('<h1>Logged in</h1>');
	expect(await world.over()).toMatchObject({status: 'succeeded', notes: []});
	await using gateway = await oauthWorld({home: world.home});
	expect(await (await gateway.connect(remoteServer(site.url))).whoami?.()).toBe('alice');
});

test('what is not the answer does not end the login', async () => {
	await using site = await startAuthorizationServer();
	await using world = await loginWorld({url: site.url});
	world.start();
	const {url = '', redirectPort} = await world.waiting();

	const foreign = await fetch(`http://127.0.0.1:${redirectPort}/callback?code=x&state=y`);

	expect(foreign.status).toBe(400);
	expect(world.shown()).toMatchObject({status: 'waiting', url});
	expect((await surf(new URL(url))).page?.text).toContain('Logged in');
});

test('"a taken port is reported as that"', async () => {
	const taken = createServer().listen(0, '127.0.0.1');
	await once(taken, 'listening');
	const {port} = taken.address() as {port: number};
	await using site = await startAuthorizationServer();
	await using world = await loginWorld({url: site.url, oauth: {redirect_port: port}});

	world.start();

	expect(await world.over()).toMatchObject({
		status: 'failed',
		reason: `Cannot log in to tool server "crm": port ${port}, which its oauth settings name for the browser to come back to, is taken by another program`,
	});
	taken.close();
});

const hasIpv6 = Object.values(networkInterfaces()).some(each =>
	each?.some(({address}) => address === '::1'),
);

test.runIf(hasIpv6)('a browser may come back by IPv6, where "redirect_uri" says so', async () => {
	const free = createServer().listen(0, '::1');
	await once(free, 'listening');
	const {port} = free.address() as {port: number};
	free.close();
	await once(free, 'close');
	await using site = await startAuthorizationServer();
	await using world = await loginWorld({
		url: site.url,
		oauth: {redirect_uri: `http://[::1]:${port}/callback`},
	});
	world.start();
	const {url = ''} = await world.waiting();

	expect((await surf(new URL(url))).page?.text).toContain('Logged in');
	expect(await world.over()).toMatchObject({status: 'succeeded'});
});

test('"a retry does not collide with the attempt before it and never discards a consent that was given"', async () => {
	await using site = await startAuthorizationServer();
	await using world = await loginWorld({url: site.url});
	world.start();
	const first = await world.waiting();
	world.start();
	const second = await world.until(({status, url}) => status === 'waiting' && url !== first.url);
	expect(second.redirectPort).toBe(first.redirectPort);

	const {page} = await surf(new URL(first.url ?? ''));

	expect(page?.text).toContain('Logged in');
	expect(await world.over()).toMatchObject({status: 'succeeded'});
	expect(site.tokenRequests()).toHaveLength(1);
});

test('"times out after five minutes with a message naming the document and pointing at cimd: false"', async () => {
	await using site = await startAuthorizationServer({documents});
	const clock = createJumpClock();
	await using world = await loginWorld({
		url: site.url,
		oauth: {client_metadata_url: document},
		clock,
	});
	world.start();
	expect(new URL((await world.waiting()).url ?? '').searchParams.get('client_id')).toBe(document);

	clock.jump(299_000);
	expect(world.shown()?.status).toBe('waiting');
	clock.jump(1000);

	expect((await world.over()).reason).toBe(
		`Cannot log in to tool server "crm": nobody came back from the browser within 5 minutes; if its page refused the client metadata document "${document}", set "cimd: false" in the oauth settings of the server`,
	);
	expect(await world.files()).toEqual([]);
});

test('a person who says no there leaves everything as it was, and reads so', async () => {
	await using site = await startAuthorizationServer();
	await using world = await loginWorld({url: site.url});
	world.start();
	const {url = '', redirectPort} = await world.waiting();
	const params = new URLSearchParams({
		error: 'access_denied',
		error_description: 'End-User aborted \u001b[2J',
		state: new URL(url).searchParams.get('state') ?? '',
		iss: site.issuer,
	});

	const page = await fetch(`http://127.0.0.1:${redirectPort}/callback?${params.toString()}`);

	expect(await page.text()).toContain('The authorization server did not allow it');
	expect(await world.over()).toMatchObject({
		status: 'failed',
		reason:
			'Cannot log in to tool server "crm": the authorization server answered access_denied: End-User aborted ␛[2J',
	});
	expect(await world.files()).toEqual([]);
});

test('"a login whose document is refused registers and goes on in the same login", in the same tab', async () => {
	await using site = await startAuthorizationServer({
		documents,
		intercept: ({path, form}) =>
			path === '/token' && form?.get('client_id') === document
				? {status: 401, body: '{"error":"invalid_client"}'}
				: undefined,
	});
	await using world = await loginWorld({url: site.url, oauth: {client_metadata_url: document}});
	world.start();

	const {page} = await surf(new URL((await world.waiting()).url ?? ''));

	expect(page?.text).toContain('Logged in');
	expect(await world.over()).toMatchObject({
		status: 'succeeded',
		notes: [expect.stringContaining('refuses our client metadata document')],
	});
	expect(await world.files()).toContain('crm.cimd-off');
	expect(site.registrations()).toHaveLength(1);
});

test('the document that "svc mcp client-document" prints identifies us as it is', async () => {
	await using site = await startAuthorizationServer({documents});
	await using world = await loginWorld({url: site.url, oauth: {client_metadata_url: document}});
	world.start();

	await surf(new URL((await world.waiting()).url ?? ''));

	expect(await world.over()).toMatchObject({status: 'succeeded', notes: []});
	expect(await world.file('.client.json')).toMatchObject({client_id: document});
	expect(site.registrations()).toEqual([]);
});

test('the same for one that is refused where the browser is sent', async () => {
	await using site = await startAuthorizationServer({documents});
	await using world = await loginWorld({url: site.url, oauth: {client_metadata_url: document}});
	world.start();
	const {url = '', redirectPort} = await world.waiting();
	const params = new URLSearchParams({
		error: 'unauthorized_client',
		state: new URL(url).searchParams.get('state') ?? '',
		iss: site.issuer,
	});

	const {page} = await surf(
		new URL(`http://127.0.0.1:${redirectPort}/callback?${params.toString()}`),
	);

	expect(page?.text).toContain('Logged in');
	expect(await world.over()).toMatchObject({status: 'succeeded'});
	expect(await world.files()).toContain('crm.cimd-off');

	world.start();
	const again = await world.until(({status, startedAt}) => status === 'waiting' && startedAt > 0);
	expect(
		new URL(again.url ?? '').searchParams.get('client_id'),
		'"`svc mcp login <server>` runs: CIMD eligible again"',
	).toBe(document);
});

test('over SSH nothing is opened; the line for a tunnel is shown, and what the browser ended on can be pasted', async () => {
	await using site = await startAuthorizationServer();
	await using world = await loginWorld({
		url: site.url,
		environment: {
			SSH_CONNECTION: '10.0.0.5 51234 192.0.2.7 2222',
			USER: 'ann',
			BROWSER: 'false',
			DISPLAY: ':0',
		},
	});
	world.start();
	const {url = '', opened, tunnel, redirectPort: port} = await world.waiting();
	expect({opened, tunnel}).toEqual({
		opened: false,
		tunnel: `ssh -N -L ${port}:127.0.0.1:${port} -p 2222 ann@192.0.2.7`,
	});
	const redirect = `http://127.0.0.1:${port}/callback`;
	const ended = await surf(new URL(url), {
		isEnd: next => next.href.startsWith(redirect),
	});

	expect(world.paste('hello')).toEqual({
		problem: `Paste the whole URL that the browser ended on; it begins with "${redirect}"`,
	});
	expect(world.paste(`${redirect}?code=x&state=y`).problem).toContain('another login (state)');
	expect(world.paste(redirect).problem).toContain('lacks the answer');
	expect(world.shown()?.status).toBe('waiting');
	expect(world.paste(` ${ended.url.href}\n`)).toEqual({});
	expect(await world.over()).toMatchObject({status: 'succeeded'});
});

test.for([
	['another issuer than its address', {issuer: 'https://evil.example'}, /issuer|Issuer/],
	['no token endpoint', {token_endpoint: undefined}, /token_endpoint/],
	[
		'an authorization endpoint of another kind',
		{authorization_endpoint: 'javascript:alert(1)'},
		/authorization_endpoint/,
	],
	[
		'a token endpoint in the clear elsewhere',
		{token_endpoint: 'http://192.0.2.1/token'},
		/non-https token endpoint/,
	],
] as const)('metadata with %s end the login in one line', async ([, changes, reason]) => {
	const known: {issuer?: string} = {};
	await using site = await startAuthorizationServer({
		intercept: ({path}) =>
			path.startsWith('/.well-known/')
				? {
						status: 200,
						body: JSON.stringify({
							issuer: known.issuer,
							authorization_endpoint: `${known.issuer}/auth`,
							token_endpoint: `${known.issuer}/token`,
							registration_endpoint: `${known.issuer}/reg`,
							response_types_supported: ['code'],
							code_challenge_methods_supported: ['S256'],
							...changes,
						}),
					}
				: undefined,
	});
	known.issuer = site.issuer;
	await using world = await loginWorld({url: site.url});

	world.start();
	const attempt = await world.waiting();
	if (attempt.status === 'waiting') {
		await surf(new URL(attempt.url ?? ''));
	}

	const {status, reason: said = ''} = await world.over();
	expect(status).toBe('failed');
	expect(said).toMatch(reason);
	expect(said).not.toContain('\n');
	expect(said.length).toBeLessThan(500);
	expect(await world.files()).toEqual([]);
});

test('"all five ports are busy": a random one is used, and the document, which does not declare it, is not presented', async () => {
	const clock = createJumpClock();
	await using site = await startAuthorizationServer({documents});
	await using stack = new AsyncDisposableStack();
	for (const port of pinnedPorts) {
		const taken = createServer();
		taken.on('error', () => {}).listen(port, '127.0.0.1');
		stack.defer(() => {
			taken.close();
		});
		await Promise.race([once(taken, 'listening'), once(taken, 'error').catch(() => {})]);
	}

	await using world = await loginWorld({
		url: site.url,
		oauth: {client_metadata_url: document},
		clock,
	});
	world.start();
	const {url = '', redirectPort, notes} = await world.waiting();

	expect(pinnedPorts).not.toContain(redirectPort);
	expect(new URL(url).searchParams.get('client_id')).not.toBe(document);
	expect(site.registrations()).toMatchObject([
		{redirect_uris: [`http://127.0.0.1:${redirectPort}/callback`]},
	]);
	expect(notes).toEqual([expect.stringContaining('Ports 27890 to 27894 are all taken')]);
});
