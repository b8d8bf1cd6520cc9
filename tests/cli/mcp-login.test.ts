// @module-tag slow
import {readdir, readFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {startAuthorizationServer} from '../mcp/servers/authorization-server.ts';
import {agreeingBrowser} from '../mcp/servers/surf.ts';
import {command} from './command.ts';

test('"svc mcp login" opens the browser, waits for it, and stores the login', async () => {
	await using home = await temporaryHome();
	await using site = await startAuthorizationServer();
	await home.write('config.yaml', `mcp_servers: {crm: {url: '${site.url}', auth: oauth}}\n`);

	const {code, stdout, stderr} = await command(['mcp', 'login', 'crm'], {
		home: home.path,
		environment: {BROWSER: agreeingBrowser},
	});

	const {host} = new URL(site.url);
	expect({code, stdout}).toEqual({code: 0, stdout: `Logged in to crm (${host})\n`});
	expect(stderr.split('\n')).toEqual([
		`Logging in to crm (${host})`,
		'The browser shows this page; agree there:',
		expect.stringMatching(/^ {2}http:\/\/127\.0\.0\.1:\d+\/auth\?/),
		'Or paste here the URL that the browser ends on, and press Enter',
		'Answered; the login is being completed',
		'',
	]);
	expect(JSON.parse(await readFile(home.file('mcp-tokens/crm.json'), 'utf8'))).toMatchObject({
		url: site.url,
		issuer: site.issuer,
	});
});

test('"reauth --all" goes through the servers that want a login, and a failure with one is no reason against the next', async () => {
	await using home = await temporaryHome();
	await using site = await startAuthorizationServer();
	await home.write(
		'config.yaml',
		JSON.stringify({
			mcp_servers: {
				away: {url: 'http://127.0.0.1:1/mcp', auth: 'oauth'},
				crm: {url: site.url, auth: 'oauth'},
				off: {url: site.url, auth: 'oauth', enabled: false},
				files: {command: 'true'},
			},
		}),
	);
	const world = {home: home.path, environment: {BROWSER: agreeingBrowser}};

	const {code, stdout, stderr} = await command(['mcp', 'reauth', '--all', '--json'], world);

	expect(code).toBe(1);
	expect(JSON.parse(stdout)).toEqual([
		{
			server: 'away',
			flow: 'browser',
			status: 'failed',
			reason: expect.stringContaining('Cannot log in to tool server "away"'),
		},
		{server: 'crm', flow: 'browser', status: 'succeeded'},
	]);
	expect(stderr).toContain('Logged in to crm');
});

test('"under a multiplexed gateway each profile has its own token": a profile that another home serves has that home\'s servers, and a login of its own', async () => {
	await using site = await startAuthorizationServer();
	await using home = await temporaryHome({
		'config.yaml': JSON.stringify({
			gateway: {multiplex_profiles: true},
			mcp_servers: {crm: {url: site.url, auth: 'oauth'}},
		}),
		'profiles/work/.env': '',
	});
	const world = {home: home.path, environment: {BROWSER: agreeingBrowser}};

	expect(await command(['-p', 'work', 'mcp', 'login', 'crm'], world)).toMatchObject({code: 0});
	expect(await readdir(home.file('profiles/work/mcp-tokens'))).toContain('crm.json');
	await expect(readdir(home.file('mcp-tokens'))).rejects.toThrow('ENOENT');

	expect(await command(['-p', 'work', 'mcp', 'logout', 'crm'], world)).toMatchObject({
		stdout: 'Logged out of crm\n',
	});
});

test('"logout" removes all files of the login, and says when there is none', async () => {
	await using home = await temporaryHome();
	await using site = await startAuthorizationServer();
	await home.write(
		'config.yaml',
		JSON.stringify({mcp_servers: {crm: {url: site.url, auth: 'oauth'}}}),
	);
	const world = {home: home.path, environment: {BROWSER: agreeingBrowser}};
	await command(['mcp', 'reauth', 'crm'], world);
	await home.write('mcp-tokens/crm.cimd-off', 'x');
	await home.write('mcp-tokens/other.json', '{}');

	expect(await command(['mcp', 'logout', 'crm'], world)).toMatchObject({
		code: 0,
		stdout: 'Logged out of crm\n',
	});
	expect(await readdir(home.file('mcp-tokens'))).toEqual(['other.json']);
	expect(await command(['mcp', 'logout', 'crm'], world)).toMatchObject({
		code: 0,
		stdout: 'No login to crm was stored\n',
	});
	expect(await command(['mcp', 'logout', 'nobody'], world)).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(server_not_found)'),
	});
});

test('a login through pipes: the code is shown in plain lines, with the host of the server and that of the page', async () => {
	await using home = await temporaryHome();
	await using site = await startAuthorizationServer();
	await home.write(
		'config.yaml',
		JSON.stringify({mcp_servers: {crm: {url: site.url, auth: 'oauth', oauth: {timeout: 0.2}}}}),
	);

	const {code, stdout, stderr} = await command(['mcp', 'login', 'crm', '--flow', 'device'], {
		home: home.path,
	});

	const [server, page] = [new URL(site.url).host, new URL(site.issuer).host];
	expect({code, stdout}).toEqual({code: 1, stdout: ''});
	expect(stderr.split('\n')).toEqual([
		`Logging in to crm (${server})`,
		expect.stringMatching(
			new RegExp(
				`^To let svc use ${server}, open this page of ${page} and type the code [A-Z-]+:$`,
			),
		),
		`  ${site.issuer}/device`,
		'svc: Cannot log in to tool server "crm": nobody agreed within 0.2 s ("timeout" in its oauth settings): start again (login_failed)',
		'',
	]);
});

test.for(['browser', 'device'] as const)(
	'a login page on another host than its authorization server is said (%s)',
	async flow => {
		await using home = await temporaryHome();
		let issuer = '';
		const page = () => issuer.replace('127.0.0.1', 'localhost');
		await using site = await startAuthorizationServer({
			intercept({path}) {
				if (path === '/device/auth') {
					return {
						status: 200,
						body: JSON.stringify({
							device_code: 'd',
							user_code: 'ABCD-EFGH',
							verification_uri: `${page()}/device`,
						}),
					};
				}

				return path.startsWith('/.well-known/')
					? {
							status: 200,
							body: JSON.stringify({
								issuer,
								authorization_endpoint: `${page()}/auth`,
								token_endpoint: `${issuer}/token`,
								registration_endpoint: `${issuer}/reg`,
								device_authorization_endpoint: `${issuer}/device/auth`,
								response_types_supported: ['code'],
								code_challenge_methods_supported: ['S256'],
							}),
						}
					: undefined;
			},
		});
		({issuer} = site);
		await home.write(
			'config.yaml',
			JSON.stringify({mcp_servers: {crm: {url: site.url, auth: 'oauth', oauth: {timeout: 0.2}}}}),
		);

		const {stderr} = await command(['mcp', 'login', 'crm', '--flow', flow], {
			home: home.path,
			environment: {BROWSER: agreeingBrowser},
		});

		const {port} = new URL(issuer);
		expect(stderr.split('\n')).toContain(
			`! This is a page of localhost:${port}, which is not 127.0.0.1:${port}, its authorization server: do not go there unless you expect that`,
		);
	},
);

test('"client-document" prints what is to be hosted, with "all ten loopback redirect URIs"', async () => {
	const url = 'https://example.org/svc.json';
	const document = await JSON.parse(
		(await command(['mcp', 'client-document', '--url', url], {home: '/nowhere'})).stdout,
	);

	expect(document).toMatchObject({
		client_id: url,
		token_endpoint_auth_method: 'none',
		grant_types: ['authorization_code', 'refresh_token'],
	});
	expect(document.redirect_uris).toHaveLength(10);
	expect(document.redirect_uris).toEqual(
		expect.arrayContaining(['http://127.0.0.1:27890/callback', 'http://localhost:27894/callback']),
	);
	expect(
		await command(['mcp', 'client-document', '--url', 'https://example.org'], {home: '/nowhere'}),
	).toMatchObject({code: 1, stderr: expect.stringContaining('client_document_url_invalid')});
});

test.for([
	[['mcp', 'login', 'files'], 'Tool server "files" has no login: its entry lacks "auth: oauth"'],
	[['mcp', 'login', 'nobody'], 'Cannot find tool server "nobody": see "svc mcp list"'],
	[['mcp', 'login', 'unset'], '${HOST} in url/headers is not set'],
] as const)('%j is refused at once', async ([args, reason]) => {
	await using home = await temporaryHome({
		'config.yaml': JSON.stringify({
			mcp_servers: {
				files: {command: 'true'},
				unset: {url: 'https://${HOST}/mcp', auth: 'oauth'},
			},
		}),
	});

	const {code, stderr} = await command(args, {home: home.path});

	expect(code).toBe(1);
	expect(stderr).toContain(reason);
});

test('"reauth" wants a name or --all', async () => {
	expect(await command(['mcp', 'reauth'], {home: '/nowhere'})).toMatchObject({code: 2});
	expect(await command(['mcp', 'reauth', 'crm', '--all'], {home: '/nowhere'})).toMatchObject({
		code: 2,
	});
});
