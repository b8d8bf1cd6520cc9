import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readdirSync, statSync} from 'node:fs';
import {createServer as createHttpServer, type IncomingMessage} from 'node:http';
import {type AddressInfo, createServer, type Server, type Socket} from 'node:net';
import {basename} from 'node:path';
import {buffer, text} from 'node:stream/consumers';
import {connect as connectTls, createServer as createTlsServer} from 'node:tls';
import {array, assert, asyncProperty, constantFrom, oneof, string} from 'fast-check';
import {expect, test} from 'vitest';
import {addressScope} from '../../../source/core/address-scope.ts';
import {isListed} from '../../../source/core/hosts.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {socketFolder, sweepSocketFolders} from '../../../source/tools/sandbox/egress.ts';
import {
	judgeTarget,
	readAbsoluteForm,
	readAuthority,
} from '../../../source/tools/sandbox/proxy-target.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {makeCertificates} from '../../mcp/servers/certificates.ts';
import {addressesOf, openTestProxy, rulesOf} from './open-test-proxy.ts';

const publicNames = {
	'allowed.example': ['93.184.216.34'],
	'other.example': ['93.184.216.34'],
	'xn--bcher-kva.example': ['93.184.216.34'],
};

test('a tunnel within a tunnel is refused, and ends the connection', async () => {
	await using proxy = await openTestProxy({hosts: ['allowed.example'], names: publicNames});

	const said = await proxy.say(
		'CONNECT allowed.example:80 HTTP/1.1\r\nHost: allowed.example:80\r\n\r\n'.repeat(1000),
	);

	expect(said.match(/ 200 /g)).toHaveLength(1);
	expect(said).toContain(' 400 ');
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listening(server: Server) {
	server.listen({host: '127.0.0.1', port: 0});
	await once(server, 'listening');
	return {
		port: portOf(server),
		async [Symbol.asyncDispose]() {
			server.close();
			await once(server, 'close');
		},
	};
}

/** Answers each request with what it has read. */
async function echo() {
	const requests: Array<{target: string; host: string[]; body: string; rawHeaders: string[]}> = [];
	const server = createHttpServer((request: IncomingMessage, response) => {
		void (async () => {
			const {method, url, headersDistinct, rawHeaders} = request;
			const body = await text(request);
			requests.push({
				target: `${method} ${url}`,
				host: headersDistinct['host'] ?? [],
				body,
				rawHeaders,
			});
			response.setHeader('X-Echo', ['one', 'two']);
			response.end(`echo of ${method} ${url} ${body}`);
		})();
	});
	return Object.assign(await listening(server), {requests});
}

test.for([
	['allowed.example:443', {host: 'allowed.example', port: 443}],
	['ALLOWED.example:443', {host: 'allowed.example', port: 443}],
	['allowed.example.:443', {host: 'allowed.example', port: 443}],
	['allowed.example..:443', undefined],
	['.allowed.example:443', undefined],
	['xn--bcher-kva.example:443', {host: 'xn--bcher-kva.example', port: 443}],
	['bücher.example:443', undefined],
	['2130706433:80', {host: '127.0.0.1', port: 80}],
	['0x7f000001:80', {host: '127.0.0.1', port: 80}],
	['017700000001:80', {host: '127.0.0.1', port: 80}],
	['127.1:80', {host: '127.0.0.1', port: 80}],
	['0:80', {host: '0.0.0.0', port: 80}],
	['[::1]:80', {host: '::1', port: 80}],
	['[0:0::0:1]:80', {host: '::1', port: 80}],
	['[::ffff:127.0.0.1]:80', {host: '::ffff:7f00:1', port: 80}],
	['[fe80::1%eth0]:80', undefined],
	['[fe80::1%25eth0]:80', undefined],
	['::1:80', undefined],
	['1.2.3.256:80', undefined],
	['name.0x1:80', undefined],
	['allowed.example', undefined],
	['allowed.example:0', undefined],
	['allowed.example:65536', undefined],
	['allowed.example:443:443', undefined],
	['allowed.example:x@evil.example:443', undefined],
	['user@allowed.example:443', undefined],
	['allowed.example\0.evil.example:443', undefined],
	['allowed.example%00.evil.example:443', undefined],
	['allowed.example\t:443', undefined],
	['allowed.example/..:443', undefined],
	['allowed.example\\.evil:443', undefined],
	['allowed.example,evil.example:443', undefined],
	[`${'a.'.repeat(140)}example:443`, undefined],
	['', undefined],
] as const)('the authority %j is read as %j', ([authority, expected]) => {
	expect(readAuthority(authority)).toEqual(expected);
});

test.for([
	['http://allowed.example/a?b', 'allowed.example', 80, '/a?b'],
	['HTTP://Allowed.Example:8080', 'allowed.example', 8080, '/'],
	['http://allowed.example?x=/', 'allowed.example', 80, '/?x=/'],
	['http://allowed.example/http://evil.example/', 'allowed.example', 80, '/http://evil.example/'],
] as const)('the absolute form %j is for %s', ([url, host, port, path]) => {
	expect(readAbsoluteForm(url)).toEqual({target: {host, port}, path});
});

test.for([
	'https://allowed.example/',
	'ftp://allowed.example/',
	'/',
	'*',
	'allowed.example:80',
	'http:allowed.example/',
	'http:///allowed.example/',
	'http://allowed.example#@evil.example/',
	'http://allowed.example\\@evil.example/',
	'http://user:password@allowed.example/',
	'http://allowed.example:80@evil.example/',
	'http://allowed.example:@evil.example/',
	'http://allowed.example:/',
	' http://allowed.example/',
])('%j is no absolute form', url => {
	expect(readAbsoluteForm(url)).toBeUndefined();
});

const lists = ['*.example', '10.0.0.5:8080', '[fd00::5]:8080', '93.184.216.34'];

test.for([
	// target, addresses of the name, what is listed, verdict
	['a.example:443', ['93.184.216.34'], lists, 'allowed'],
	['a.example:443', ['93.184.216.34', '2606:4700::1111'], lists, 'allowed'],
	['a.example:8443', ['93.184.216.34'], lists, 'refused'],
	['example:443', ['93.184.216.34'], lists, 'refused'],
	['evil.test:443', ['93.184.216.34'], lists, 'refused'],
	['a.example:443', [], lists, 'unknown'],
	['a.example:443', ['10.0.0.5'], lists, 'refused'],
	['a.example:443', ['93.184.216.34', '10.0.0.5'], lists, 'refused'],
	['a.example:443', ['127.0.0.1'], lists, 'refused'],
	['a.example:443', ['169.254.169.254'], lists, 'refused'],
	['a.example:443', ['0.0.0.0'], lists, 'refused'],
	['a.example:443', ['::ffff:10.0.0.5'], lists, 'refused'],
	['a.example:443', ['64:ff9b::7f00:1'], lists, 'refused'],
	['a.example:443', ['fe80::1%eth0'], lists, 'refused'],
	['a.example:443', ['not an address'], lists, 'refused'],
	['a.example:8080', ['10.0.0.5'], [...lists, 'a.example:8080'], 'allowed'],
	['a.example:8080', ['10.0.0.6'], [...lists, 'a.example:8080'], 'refused'],
	['10.0.0.5:8080', [], lists, 'allowed'],
	['10.0.0.5:443', [], lists, 'refused'],
	['[fd00::5]:8080', [], lists, 'allowed'],
	['[fd00:0::5]:8080', [], lists, 'allowed'],
	['[::ffff:10.0.0.5]:8080', [], lists, 'refused'],
	['93.184.216.34:443', [], lists, 'allowed'],
	['1.1.1.1:443', [], lists, 'refused'],
	['1.1.1.1:443', [], ['*'], 'allowed'],
	['any.test:443', ['93.184.216.34'], ['*'], 'allowed'],
	['any.test:443', ['192.168.1.1'], ['*'], 'refused'],
	['127.0.0.1:443', [], ['*'], 'refused'],
	['2130706433:443', [], ['*'], 'refused'],
	['[::1]:443', [], ['*'], 'refused'],
	['127.0.0.1:443', [], ['*', '127.0.0.1'], 'allowed'],
	['localhost:443', ['127.0.0.1'], ['localhost'], 'refused'],
	['localhost:443', ['127.0.0.1'], ['localhost', '127.0.0.1'], 'allowed'],
] as const)('%s with the addresses %j and the list %j: %s', async ([asked, found, hosts, kind]) => {
	const target = readAuthority(asked);
	const judgement =
		target &&
		(await judgeTarget(target, {
			rules: rulesOf(hosts),
			resolve: async () => addressesOf(...found),
			setting: 'sandbox.hosts',
		}));

	expect(judgement).toMatchObject({kind});
	expect(JSON.stringify(judgement)).not.toMatch(
		kind === 'refused' ? /10\.0|192\.168|169\.254/ : /x^/,
	);
});

test('the folder is 0700 and the socket 0600, and both connections and socket are gone after disposal', async () => {
	await using proxy = await openTestProxy({hosts: []});
	const client = await proxy.open();

	expect(statSync(proxy.folder).mode & 0o777).toBe(0o700);
	expect(statSync(proxy.socket).mode & 0o777).toBe(0o600);

	const closed = once(client.resume(), 'close');
	client.end();
	proxy.abort.abort();
	await closed;
	expect(() => statSync(proxy.socket)).toThrow('ENOENT');
});

test('sockets lie in the folder of svc, as far as their path is short, and those of killed processes are removed', async () => {
	await using home = await temporaryHome();
	await using stack = new AsyncDisposableStack();
	const ended = spawnSync('true').pid;
	const left = [`${ended}-abcdef`, `${process.pid}-abcdef`];
	for (const name of [...left, `${process.ppid}-abcdef`, 'of-a-person']) {
		mkdirSync(home.file(`run/out/${name}`), {recursive: true});
	}

	const [near, far] = [
		socketFolder(home.path, stack),
		socketFolder(home.file('x'.repeat(80)), stack),
	];
	sweepSocketFolders(home.path, {log: silentLogger});

	expect(near).toMatch(new RegExp(`^${home.file('run/out')}/${process.pid}-\\w{6}$`));
	expect(far).toMatch(/\/svc-out-\w+$/);
	expect(statSync(near).mode & 0o777).toBe(0o700);
	expect(readdirSync(home.file('run/out')).toSorted()).toEqual(
		[basename(near), `${process.ppid}-abcdef`, 'of-a-person'].toSorted(),
	);

	await stack.disposeAsync();
	expect([near, far].filter(existsSync)).toEqual([]);
});

test('a plain request is written anew for the target that was judged', async () => {
	await using server = await echo();
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});

	const answer = await proxy.say(
		[
			'POST http://Allowed.Example.:80/a?b HTTP/1.1',
			'Host: evil.example',
			'Connection: close, X-Hop, Content-Length',
			'Proxy-Connection: keep-alive',
			'Proxy-Authorization: Basic eDp5',
			'Upgrade: websocket',
			'X-Hop: 1',
			'X-End: 2',
			'Content-Length: 5',
			'',
			'hello',
		].join('\r\n'),
	);

	expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
	expect(answer).toContain('X-Echo: one\r\nX-Echo: two\r\n'.toLowerCase());
	expect(answer).toContain('echo of POST /a?b hello');
	expect(proxy.dialled).toEqual([{addresses: ['93.184.216.34'], port: 80}]);
	expect(proxy.asked).toEqual(['allowed.example']);
	expect(server.requests).toMatchObject([{host: ['allowed.example'], body: 'hello'}]);
	expect(server.requests[0]?.rawHeaders.join(' ').toLowerCase()).not.toMatch(
		/evil|x-hop|proxy-|upgrade|keep-alive/,
	);
	expect(server.requests[0]?.rawHeaders).toContain('x-end');
});

test('a body of a request that has none by custom is no second request to the server', async () => {
	await using server = await echo();
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});
	const hidden = 'GET /hidden HTTP/1.1\r\nHost: evil.example\r\n\r\n';

	const sized = await proxy.say(
		`GET http://allowed.example/1 HTTP/1.1\r\nHost: a\r\nConnection: close, content-length\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
	);
	const chunked = await proxy.say(
		`GET http://allowed.example/2 HTTP/1.1\r\nHost: a\r\nConnection: close, transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
	);

	expect([sized, chunked].map(answer => answer.slice(0, 12))).toEqual([
		'HTTP/1.1 200',
		'HTTP/1.1 200',
	]);
	expect(server.requests.map(({target, body}) => [target, body])).toEqual([
		['GET /1', hidden],
		['GET /2', hidden],
	]);
});

const plain = (head: string, body = '') => `${head}\r\n\r\n${body}`;

test.for([
	[
		'length and chunked',
		plain(
			'POST http://allowed.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked',
			'0\r\n\r\n',
		),
		400,
	],
	[
		'two lengths',
		plain(
			'POST http://allowed.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6',
			'hello!',
		),
		400,
	],
	[
		'a length with a sign',
		plain('POST http://allowed.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: +5', 'hello'),
		400,
	],
	[
		'an unknown coding',
		plain(
			'POST http://allowed.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked',
			'0\r\n\r\n',
		),
		400,
	],
	[
		'a coding before chunked',
		plain(
			'POST http://allowed.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked',
			'0\r\n\r\n',
		),
		400,
	],
	[
		'two hosts',
		plain('GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nHost: evil.example'),
		400,
	],
	['no host', plain('GET http://allowed.example/ HTTP/1.1'), 400],
	['a space before the colon', plain('GET http://allowed.example/ HTTP/1.1\r\nHost : a'), 400],
	['a line feed alone', 'GET http://allowed.example/ HTTP/1.1\nHost: a\n\n', 400],
	[
		'a carriage return in a value',
		plain('GET http://allowed.example/ HTTP/1.1\r\nHost: a\r\nX: a\rb'),
		400,
	],
	['NUL in a value', plain('GET http://allowed.example/ HTTP/1.1\r\nHost: a\r\nX: a\0b'), 400],
	['NUL in the name', plain('GET http://allowed.example\0.evil.example/ HTTP/1.1\r\nHost: a'), 400],
	['NUL in a tunnel', plain('CONNECT allowed.example\0:443 HTTP/1.1\r\nHost: a'), 400],
	['userinfo', plain('GET http://allowed.example:x@evil.example/ HTTP/1.1\r\nHost: a'), 400],
	[
		'userinfo in a tunnel',
		plain('CONNECT allowed.example:x@evil.example:443 HTTP/1.1\r\nHost: a'),
		400,
	],
	['origin form', plain('GET / HTTP/1.1\r\nHost: allowed.example'), 400],
	['https', plain('GET https://allowed.example/ HTTP/1.1\r\nHost: allowed.example'), 400],
	[
		'a tunnel without port',
		plain('CONNECT allowed.example HTTP/1.1\r\nHost: allowed.example'),
		400,
	],
	['a tunnel to port 0', plain('CONNECT allowed.example:0 HTTP/1.1\r\nHost: allowed.example'), 400],
	['port 0', plain('GET http://allowed.example:0/ HTTP/1.1\r\nHost: allowed.example'), 400],
	['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
	[
		'a long header',
		plain(`GET http://allowed.example/ HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}`),
		431,
	],
	['another host', plain('GET http://evil.example/ HTTP/1.1\r\nHost: allowed.example'), 403],
	[
		'another port',
		plain('GET http://allowed.example:8080/ HTTP/1.1\r\nHost: allowed.example'),
		403,
	],
	[
		'a tunnel to another host',
		plain('CONNECT evil.example:443 HTTP/1.1\r\nHost: allowed.example:443'),
		403,
	],
	['this machine', plain('GET http://2130706433/ HTTP/1.1\r\nHost: allowed.example'), 403],
] as const)('%s is refused and nothing is connected to', async ([, bytes, status]) => {
	await using proxy = await openTestProxy({hosts: ['allowed.example'], names: publicNames});

	const answer = await proxy.say(bytes);

	expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
	expect(proxy.dialled).toEqual([]);
});

test('a folded header is no way to a second header', async () => {
	await using server = await echo();
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});

	await proxy.say(
		plain(
			'GET http://allowed.example/ HTTP/1.1\r\nHost: a\r\nX: a\r\n Host: evil.example\r\nConnection: close',
		),
	);

	// Refused, or sent on as one line.
	expect(server.requests.map(({host}) => host)).toEqual(
		server.requests.map(() => ['allowed.example']),
	);
});

test('a refusal says the host, why, and the setting, and is told once', async () => {
	await using proxy = await openTestProxy({
		hosts: ['near.example'],
		names: {'near.example': ['10.1.2.3']},
	});
	const ask = async (host: string) =>
		proxy.say(plain(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443`));

	const [far, near] = [
		await ask('far.example'),
		await ask('near.example'),
		await ask('far.example'),
	];

	expect(far).toContain(
		'\r\n\r\nCannot reach "far.example:443" from the sandbox: sandbox.hosts does not list it\n',
	);
	expect(far).toContain('Content-Type: text/plain');
	expect(near).toContain('its address is private; sandbox.hosts must list that address itself');
	expect(proxy.refused).toEqual([
		{host: 'far.example', port: 443, reason: 'sandbox.hosts does not list it'},
		{
			host: 'near.example',
			port: 443,
			reason: 'its address is private; sandbox.hosts must list that address itself',
		},
	]);
});

test('what is told of refusals is clean and bounded', async () => {
	await using proxy = await openTestProxy({hosts: []});

	await proxy.say(plain(`GET /${'x'.repeat(5000)} HTTP/1.1\r\nHost: a`));
	for (let index = 0; index < 120; index++) {
		await proxy.say(plain(`CONNECT h${index}.example:443 HTTP/1.1\r\nHost: a`));
	}

	expect(proxy.refused).toHaveLength(100);
	expect(proxy.refused[0]?.host).toHaveLength(255);
});

test('pipelined requests are judged each on its own', async () => {
	await using server = await echo();
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});

	const answer = await proxy.say(
		[
			'GET http://allowed.example/1 HTTP/1.1\r\nHost: a\r\n\r\n',
			'GET http://evil.example/2 HTTP/1.1\r\nHost: allowed.example\r\n\r\n',
			'GET http://allowed.example/3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
		].join(''),
	);

	expect(answer).toContain('echo of GET /1');
	expect(answer).toContain('Cannot reach "evil.example:80"');
	expect(server.requests.every(({host}) => host[0] === 'allowed.example')).toBe(true);
	expect(proxy.refused).toHaveLength(1);
});

test('an upgrade leads to no other protocol, whatever the server says', async () => {
	const received: string[] = [];
	await using server = await listening(
		createServer(socket => {
			socket.on('error', () => {});
			socket.setEncoding('latin1').on('data', (chunk: string) => received.push(chunk));
			socket.write(
				'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nswitched',
			);
		}),
	);
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});

	for (const upgrade of ['h2c', 'websocket', 'TLS/1.2']) {
		const answer = await proxy.say(
			`GET http://allowed.example/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\nUpgrade: ${upgrade}\r\n\r\nGET /hidden HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
		);
		expect(answer).toMatch(/^HTTP\/1\.1 502 /);
		expect(answer).not.toContain('switched');
	}

	expect(received.join('')).not.toMatch(/upgrade|http2|hidden|evil/i);
});

test('a redirect goes back to the client, whose next request is judged anew', async () => {
	await using server = await listening(
		createHttpServer((_, response) => {
			response.writeHead(302, {Location: 'http://127.0.0.1/'});
			response.end();
		}),
	);
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});

	const answer = await proxy.say(
		plain('GET http://allowed.example/ HTTP/1.1\r\nHost: a\r\nConnection: close'),
	);
	const next = await proxy.say(plain('GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1'));

	expect(answer).toMatch(/^HTTP\/1\.1 302 /);
	expect(next).toMatch(/^HTTP\/1\.1 403 /);
	expect(proxy.dialled).toHaveLength(1);
});

test('a name is looked up once for a connection, which goes to what was found', async () => {
	await using server = await echo();
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});
	const request = plain('GET http://allowed.example/ HTTP/1.1\r\nHost: a\r\nConnection: close');

	await proxy.say(request);

	expect(proxy.asked).toEqual(['allowed.example']);
	expect(proxy.dialled.map(({addresses}) => addresses)).toEqual([['93.184.216.34']]);
});

test('a tunnel to port 80 carries plain requests to the host that it was asked for', async () => {
	await using server = await echo();
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});
	const {client, answer} = await proxy.tunnel('allowed.example:80');
	client.write('GET /inside HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');

	expect(answer).toMatch(/^HTTP\/1\.1 200 /);
	expect(await text(client)).toContain('echo of GET /inside');
	expect(server.requests).toMatchObject([{target: 'GET /inside', host: ['allowed.example']}]);

	const other = await proxy.tunnel('evil.example:80');
	other.client.write('GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n');
	expect(await text(other.client)).toMatch(/^HTTP\/1\.1 403 /);
});

/** A TLS server, and what it was sent before TLS. */
async function tlsEcho() {
	const certificates = await makeCertificates();
	const server = createTlsServer(certificates.server, socket => {
		socket.pipe(socket);
	});
	server.on('tlsClientError', () => {});
	const open = await listening(server);
	return {
		port: open.port,
		async [Symbol.asyncDispose]() {
			await open[Symbol.asyncDispose]();
			await certificates[Symbol.asyncDispose]();
		},
	};
}

const handshake = async (client: Socket, servername?: string): Promise<string> => {
	const secure = connectTls({
		socket: client,
		rejectUnauthorized: false,
		...(servername !== undefined && {servername}),
	});
	const {promise, resolve} = Promise.withResolvers<string>();
	secure.once('error', error => {
		resolve(error.message);
	});
	secure.once('close', () => {
		resolve('closed');
	});
	secure.once('secureConnect', () => {
		secure.end('hello');
		void text(secure).then(resolve);
	});
	return promise;
};

test('TLS passes when it names the host that was asked for, and is told why else', async () => {
	await using server = await tlsEcho();
	await using proxy = await openTestProxy({
		hosts: ['allowed.example', '*.wide.example:8443', '93.184.216.34'],
		names: {...publicNames, 'a.wide.example': ['93.184.216.34']},
		port: server.port,
	});
	const through = async (authority: string, servername?: string) =>
		handshake((await proxy.tunnel(authority)).client, servername);

	expect(await through('allowed.example:443', 'allowed.example')).toBe('hello');
	expect(await through('Allowed.Example.:443', 'allowed.example')).toBe('hello');
	expect(await through('a.wide.example:8443', 'a.wide.example')).toBe('hello');
	expect(await through('93.184.216.34:443')).toBe('hello');
	expect(proxy.refused).toEqual([]);
	expect(await through('allowed.example:443', 'evil.example')).toMatch(/unrecognized name/);
	expect(await through('allowed.example:443')).toMatch(/unrecognized name/);
	expect(await through('a.wide.example:8443', 'b.wide.example')).toMatch(/unrecognized name/);
	expect(await through('93.184.216.34:443', 'evil.example')).toMatch(/unrecognized name/);
	expect(proxy.refused.map(({reason}) => reason)).toEqual([
		'its TLS ClientHello names another server, "evil.example"',
		'its TLS ClientHello names no server',
		'its TLS ClientHello names another server, "b.wide.example"',
		'its TLS ClientHello names another server, "evil.example"',
	]);
});

test('what is not TLS never reaches port 443', async () => {
	const received: Buffer[] = [];
	await using server = await listening(
		createServer(socket => {
			socket.on('data', (chunk: Buffer) => received.push(chunk));
			socket.on('error', () => {});
			socket.write('SSH-2.0-server\r\n');
		}),
	);
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});
	const {client} = await proxy.tunnel('allowed.example:443');
	client.end('GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n');

	expect((await buffer(client)).toString()).toBe('');
	expect(received).toEqual([]);
	expect(proxy.refused.map(({reason}) => reason)).toEqual(['only TLS may be sent to port 443']);
});

test('on another port that is listed any protocol passes, also one whose server speaks first', async () => {
	await using server = await listening(
		createServer({allowHalfOpen: true}, socket => {
			socket.write('220 ready\r\n');
			socket.pipe(socket);
		}),
	);
	await using proxy = await openTestProxy({
		hosts: ['allowed.example:2525'],
		names: publicNames,
		port: server.port,
	});
	const {client} = await proxy.tunnel('allowed.example:2525');
	const [greeting] = (await once(client, 'data')) as [Buffer];
	client.end('EHLO me\r\n');

	expect(greeting.toString()).toBe('220 ready\r\n');
	expect(await text(client)).toBe('EHLO me\r\n');
});

test.for(['000 X', '001', '099 X', '100 X', '101 X'])(
	'an answer with the status %s is answered 502, and the proxy goes on',
	async status => {
		const server = createServer(socket => {
			socket.on('error', () => {});
			socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));
		});
		await using open = await listening(server);
		await using proxy = await openTestProxy({
			hosts: ['allowed.example'],
			names: publicNames,
			port: open.port,
		});
		const request = plain('GET http://allowed.example/ HTTP/1.1\r\nHost: a');

		for (let index = 0; index < 2; index++) {
			expect(await proxy.say(request)).toMatch(/^HTTP\/1\.1 502 .*did not answer in HTTP\/1\n$/s);
		}
	},
);

test('what cannot be connected to is answered 502, and so is what does not answer in HTTP', async () => {
	await using server = await listening(
		createServer(socket => {
			socket.on('error', () => {}).resume();
			socket.end('no HTTP\r\n\r\n');
		}),
	);
	await using wrong = await openTestProxy({
		hosts: ['*'],
		names: publicNames,
		port: server.port,
	});
	await using closed = await openTestProxy({hosts: ['*'], names: publicNames});
	const request = plain('GET http://allowed.example/ HTTP/1.1\r\nHost: a\r\nConnection: close');

	expect(await wrong.say(request)).toMatch(/^HTTP\/1\.1 502 .*did not answer in HTTP\/1\n$/s);
	expect(await closed.say(request)).toMatch(/^HTTP\/1\.1 502 .*it cannot be connected to\n$/s);
	expect(await closed.say(plain('CONNECT unknown.example:443 HTTP/1.1'))).toMatch(
		/^HTTP\/1\.1 502 .*its name has no address\n$/s,
	);
});

test('a connection that is idle for a minute is closed on both sides', async () => {
	const clock = createFakeClock();
	await using server = await listening(createServer(socket => socket.resume()));
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
		clock,
	});
	const {client} = await proxy.tunnel('allowed.example:443');
	const closed = once(client.resume(), 'close');
	client.on('end', () => client.end());
	clock.advance(59_999);
	expect(proxy.servers[0]?.destroyed).toBe(false);
	clock.advance(1);

	await closed;
	expect(proxy.servers[0]?.destroyed).toBe(true);
	expect(clock.timersLeft).toBe(0);
});

test('a client that leaves ends its connection to the server', async () => {
	await using server = await listening(createServer(socket => socket.resume()));
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});
	const {client} = await proxy.tunnel('allowed.example:443');
	const [opened] = proxy.servers;
	const closed = opened && once(opened, 'close');
	client.destroy();

	await closed;
	expect(opened?.destroyed).toBe(true);
});

test('more than 64 connections are not taken', async () => {
	await using server = await listening(createServer(socket => socket.resume()));
	await using proxy = await openTestProxy({
		hosts: ['allowed.example'],
		names: publicNames,
		port: server.port,
	});
	await Promise.all(Array.from({length: 64}, async () => proxy.tunnel('allowed.example:443')));
	const late = await proxy.open();
	late.on('error', () => {});
	late.on('end', () => late.destroy());

	await once(late.resume(), 'close');
	expect(proxy.servers).toHaveLength(64);
});

const word = oneof(
	constantFrom(
		'allowed.example',
		'near.example',
		'mixed.example',
		'evil.example',
		'127.0.0.1',
		'2130706433',
		'0x7f.1',
		'[::1]',
		'[::ffff:127.0.0.1]',
		'169.254.169.254',
		'10.0.0.5',
		'localhost',
		'http://',
		'@',
		':',
		':80',
		':443',
		':8080',
		'/',
		'\\',
		'?',
		'#',
		'%00',
		'.',
		'%2e',
		'\r\nHost: evil.example',
		'\r\n\r\nGET http://127.0.0.1/ HTTP/1.1\r\nHost: a\r\n\r\n',
	),
	string({maxLength: 4, unit: 'binary'}),
);
const line = array(word, {maxLength: 6}).map(words => words.join(''));

test('no text of a request makes the proxy connect to what is not listed or near', async () => {
	await using server = await echo();
	const listed = ['*.example', '10.0.0.5:8080', 'localhost'];
	await using proxy = await openTestProxy({
		hosts: listed,
		names: {
			...publicNames,
			'near.example': ['10.0.0.6'],
			'mixed.example': ['93.184.216.34', '127.0.0.1'],
			localhost: ['127.0.0.1'],
		},
		port: server.port,
	});
	await assert(
		asyncProperty(
			constantFrom('GET ', 'CONNECT ', 'POST '),
			line,
			line,
			async (method, target, host) => {
				await proxy.say(
					`${method}${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
				);
				for (const {addresses, port} of proxy.dialled.splice(0)) {
					for (const address of addresses) {
						const isItself = isListed(rulesOf(['10.0.0.5:8080']), {host: address, port});
						expect(isItself || addressScope(address) === 'public').toBe(true);
					}
				}

				const seen = server.requests.splice(0);
				// What goes through a tunnel is between its two ends.
				const hosts = method === 'CONNECT ' ? [] : seen.map(request => request.host.join());
				expect(hosts.filter(name => !/\.example$|^10\.0\.0\.5:8080$/.test(name))).toEqual([]);
			},
		),
		{numRuns: propertyRuns(2000)},
	);
});
