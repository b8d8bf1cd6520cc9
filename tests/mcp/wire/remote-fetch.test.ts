import {connect} from 'node:net';
import {expect, test} from 'vitest';
import {createAuthorities} from '../../../source/config/authorities.ts';
import {codeOf} from '../../../source/core/errors.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {version} from '../../../source/core/program.ts';
import {readTls} from '../../../source/mcp/wire/read-tls.ts';
import {createRemoteFetch} from '../../../source/mcp/wire/remote-fetch.ts';
import {plainAuthorities} from '../../helpers/authorities.ts';
import {need} from '../../helpers/need.ts';
import {makeCertificates} from '../servers/certificates.ts';
import {always, jsonServer, remoteServer, startHttp} from '../servers/http-server.ts';
import {openTransports} from './open-transports.ts';

const tls = readTls('crm', {verify: true}, {environment: {}, authorities: plainAuthorities});

const headers = {'X-Api-Key': 'key-1', Authorization: 'Bearer static', Accept: 'nothing'};

const ok = always(200, 'application/json', '{}');

const post = (body: string, type = 'application/json') => ({
	method: 'POST',
	headers: {'content-type': type},
	body,
});

test.for([
	['/mcp', {}, true],
	['/mcp?a=b', {}, true],
	['/message?sessionId=1', post('{"jsonrpc":"2.0","id":1}'), true],
	['/other', {headers: {accept: 'text/event-stream'}}, true],
	['/register', post('{"client_name":"Svc"}'), false],
	['/token', post('grant_type=refresh_token', 'application/x-www-form-urlencoded'), false],
	['/.well-known/oauth-protected-resource/mcp', {headers: {accept: 'application/json'}}, false],
	['/', {}, false],
] as const)('configured headers go to %s %j: %j', async ([path, init, isSent]) => {
	await using http = await startHttp(ok);
	await using remote = createRemoteFetch({url: new URL(http.url), headers}, {tls, environment: {}});
	await remote.fetch(`${http.origin}${path}`, init);

	expect(http.requests[0]?.headers['x-api-key']).toBe(isSent ? 'key-1' : undefined);
	expect(http.requests[0]?.headers['user-agent']).toBe(`Svc-Agent/${version}`);
});

test('configured headers never go to another origin, and never replace what the protocol sets', async () => {
	await using http = await startHttp(ok);
	await using other = await startHttp(ok);
	await using remote = createRemoteFetch({url: new URL(http.url), headers}, {tls, environment: {}});
	await remote.fetch(other.url, post('{"jsonrpc":"2.0","id":1}'));
	await remote.fetch(http.url, {headers: {authorization: 'Bearer fresh', accept: 'text/plain'}});

	expect(other.requests[0]?.headers).not.toHaveProperty('x-api-key');
	expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
	expect(http.requests[0]?.headers).toMatchObject({
		authorization: 'Bearer fresh',
		accept: 'text/plain',
	});
});

test('a name that stands for this machine is no place to which a public tool server leads', async () => {
	await using http = await startHttp(ok);
	const {port} = new URL(http.url);
	await using remote = createRemoteFetch(
		{url: new URL('https://93.184.216.34/mcp'), headers},
		{tls, environment: {}},
	);

	const failure: unknown = await remote
		.fetch(`http://localhost:${port}/token`)
		.catch((error: unknown) => error);

	expect(codeOf((failure as Error).cause)).toBe('oauth_address_refused');
	expect(http.requests).toEqual([]);
});

test('answers are of the class that the SDK asks for, and no cookie is kept', async () => {
	await using http = await startHttp((_request, response) => {
		response.writeHead(204, {'set-cookie': 'a=b'}).end();
	});
	await using remote = createRemoteFetch({url: new URL(http.url), headers}, {tls, environment: {}});
	const response = await remote.fetch(http.url);
	await remote.fetch(http.url);

	expect(response).toBeInstanceOf(Response);
	expect(http.requests[1]?.headers.cookie).toBeUndefined();
});

test('metadata is read up to 1 MB, an error page up to 64 KB', async () => {
	await using http = await startHttp((request, response) => {
		const isError = request.url === '/error';
		response.writeHead(isError ? 500 : 200).end('x'.repeat(2 * 1024 * 1024));
	});
	await using remote = createRemoteFetch({url: new URL(http.url), headers}, {tls, environment: {}});
	const page = await (await remote.fetch(`${http.origin}/error`)).text();

	await expect((await remote.fetch(`${http.origin}/metadata`)).text()).rejects.toThrow('10 MB');
	expect(page.length).toBeLessThan(256 * 1024);
});

test('a redirect within the origin is followed with the configured headers', async () => {
	await using transports = await openTransports();
	const serve = jsonServer();
	await using http = await startHttp((request, response) => {
		if (request.url === '/mcp') {
			response.writeHead(307, {location: '/mcp/'}).end();
		} else {
			serve(request, response);
		}
	});
	await using server = await transports.connect(
		remoteServer(http.url, {headers: {'x-api-key': 'key-1'}}),
	);

	expect(server.client.getServerVersion()?.name).toBe('fixture');
	const redirected = http.requests.filter(({path}) => path === '/mcp/');
	expect(redirected.every(request => request.headers['x-api-key'] === 'key-1')).toBe(true);
});

test.for<readonly [string, (elsewhere: string) => string]>([
	['to another origin', elsewhere => elsewhere],
	['in circles', () => '/mcp'],
])('a redirect %s ends in a failure that names it', async ([, locate]) => {
	await using transports = await openTransports();
	await using elsewhere = await startHttp(jsonServer());
	await using http = await startHttp((_request, response) => {
		response.writeHead(307, {location: locate(elsewhere.url)}).end();
	});
	await using opened = await transports.open(remoteServer(http.url));
	const {Client} = await import('@modelcontextprotocol/client');
	const failure = await new Client({name: 'test', version: '1'})
		.connect(opened.transport)
		.catch((error: unknown) => opened.explain(error));

	expect(failure).toMatchObject({
		message: expect.stringMatching(/^It answered with HTTP 307: Redirect to http/),
		kind: 'permanent',
	});
	expect(elsewhere.requests).toEqual([]);
	expect(http.requests.length).toBeLessThan(8);
});

test('a proxy that is reached by TLS is trusted as everybody else', async context => {
	need('openssl', context);
	await using certificates = await makeCertificates();
	await using proxy = await startHttp(ok, certificates.server);
	const ask = async (ca: readonly string[]) => {
		const environment = {HTTP_PROXY: `https://localhost:${proxy.port}`};
		const authorities = createAuthorities(
			() => ({tls: {ca}, environment: {}, paths: {home: '/'}}),
			{log: silentLogger},
		);
		const trusting = readTls('crm', {verify: true}, {environment, authorities});
		await using remote = createRemoteFetch(
			{url: new URL('http://mcp.invalid/mcp'), headers: {}},
			{tls: trusting, environment},
		);
		const {status} = await remote.fetch('http://mcp.invalid/mcp');
		return status;
	};

	expect(await ask([certificates.file('ca.pem')])).toBe(200);
	await expect(ask([])).rejects.toThrow('fetch failed');
});

test('HTTP_PROXY: requests go to the proxy, with the whole URL', async () => {
	await using proxy = await startHttp(jsonServer());
	await using transports = await openTransports({environment: {HTTP_PROXY: proxy.origin}});
	await using server = await transports.connect(remoteServer('http://mcp.invalid/mcp'));

	expect(server.client.getServerVersion()?.name).toBe('fixture');
	expect(proxy.requests[0]?.path).toBe('http://mcp.invalid/mcp');
});

test('HTTPS_PROXY: a tunnel is asked for, and TLS goes to the server', async () => {
	await using certificates = await makeCertificates();
	await using target = await startHttp(jsonServer(), certificates.mutual);
	await using proxy = await startHttp(() => {});
	const tunnels: string[] = [];
	proxy.server.on('connect', ({url = ''}, socket) => {
		tunnels.push(url);
		const upstream = connect(target.port, '127.0.0.1', () => {
			socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			upstream.pipe(socket).pipe(upstream);
		});
		upstream.on('error', () => socket.destroy());
		socket.on('error', () => upstream.destroy());
	});
	await using transports = await openTransports({environment: {https_proxy: proxy.origin}});
	await using server = await transports.connect(
		remoteServer('https://mcp.invalid/mcp', {
			tls: {verify: false, client: {cert: certificates.file('both.pem')}},
		}),
	);

	expect(server.client.getServerVersion()?.name).toBe('fixture');
	expect(tunnels[0]).toBe('mcp.invalid:443');
});

test('credentials in the URL become basic authentication', async () => {
	await using transports = await openTransports();
	await using http = await startHttp(jsonServer());
	await using server = await transports.connect(
		remoteServer(http.url.replace('//', '//ada:open%20sesame@')),
	);

	expect(server.client.getServerVersion()?.name).toBe('fixture');
	expect(http.requests[0]?.headers.authorization).toBe(`Basic ${btoa('ada:open sesame')}`);
});

test.for([
	['ftp://mcp.example', {}, 'its url is no http or https URL'],
	['mcp.example', {}, 'its url is no http or https URL'],
	[
		'http://mcp.example',
		{'X-Key': 'a\nb'},
		'its header "X-Key" has characters that no header may have',
	],
	[
		'http://mcp.example',
		{'X-Key': 'é€'},
		'its header "X-Key" has characters that no header may have',
	],
	[
		'http://mcp.example',
		{'X Key': 'a'},
		'its header "X Key" has characters that no header may have',
	],
] as const)(
	'%s with headers %j is refused before anything is sent',
	async ([url, strange, message]) => {
		await using transports = await openTransports();
		const refusal = {message: `MCP server 'crm': ${message}`, failure: {kind: 'permanent'}};
		const options = {signal: new AbortController().signal, secrets: []};

		await expect(transports.open(remoteServer(url, {headers: strange}))).rejects.toMatchObject(
			refusal,
		);
		await expect(
			transports.transports.preflight(remoteServer(url, {headers: strange}), options),
		).rejects.toMatchObject(refusal);
	},
);
