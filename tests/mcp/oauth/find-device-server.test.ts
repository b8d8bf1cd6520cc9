import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, test} from 'vitest';
import {findDeviceServer} from '../../../source/mcp/oauth/find-device-server.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';

type Documents = (origin: string) => Readonly<Record<string, unknown>>;

/** Finds the server for a tool server at `/mcp` of a host with these documents by path; others are not there. */
async function find(documents: Documents, issuer?: (origin: string) => string) {
	const server = createServer((request, response) => {
		const document = documents(origin)[request.url ?? ''];
		const isText = typeof document === 'string';
		response.writeHead(document === undefined ? 404 : 200, {
			'content-type': isText ? 'text/html' : 'application/json',
		});
		response.end(isText ? document : JSON.stringify(document ?? {}));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	try {
		const {discovery} = await findDeviceServer({
			name: 'crm',
			endpoint: new URL(`${origin}/mcp`),
			...(issuer && {issuer: issuer(origin)}),
			fetch,
		});
		return discovery.authorizationServerUrl.replace(origin, '');
	} catch (error) {
		return String(error).replaceAll(origin, '');
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

const resource = (origin: string, ...servers: readonly string[]) => ({
	'/.well-known/oauth-protected-resource/mcp': {
		resource: `${origin}/mcp`,
		authorization_servers: servers.map(path => origin + path),
	},
});

const metadata = (issuer: string, more: Readonly<Record<string, unknown>> = {}) => ({
	issuer,
	token_endpoint: `${issuer}/token`,
	device_authorization_endpoint: `${issuer}/code`,
	grant_types_supported: [grant],
	...more,
});

const place = (path: string) => `/.well-known/oauth-authorization-server${path}`;

test('"the first whose metadata issuer matches its advertised URL and that offers the device_code grant is used"', async () => {
	const found = await find(origin => ({
		...resource(origin, '/liar', '/browsers', '/codes', '/more'),
		[place('/liar')]: metadata('https://elsewhere.example'),
		[place('/browsers')]: metadata(`${origin}/browsers`, {
			grant_types_supported: ['authorization_code'],
		}),
		[place('/codes')]: metadata(`${origin}/codes`),
		[place('/more')]: metadata(`${origin}/more`),
	}));

	expect(found).toBe('/codes');
});

test('"a path-scoped advertised form whose metadata names the bare host is the one accepted difference"', async () => {
	expect(
		await find(origin => ({...resource(origin, '/tenant'), [place('/tenant')]: metadata(origin)})),
	).toBe('/tenant');
	expect(
		await find(origin => ({
			...resource(origin, '/tenant'),
			[place('/tenant')]: metadata(`${origin}/other`),
		})),
		'another path of the host is another server',
	).toContain('"/tenant" says that it is another one, "/other"');
	expect(
		await find(origin => ({
			...resource(origin, ''),
			[place('')]: metadata(`${origin}/tenant`),
		})),
		'nor does it hold the other way round',
	).toContain('says that it is another one');
});

test('each server that does not do is named, with why', async () => {
	const refusal = await find(origin => ({
		...resource(origin, '/html', '/bare', '/none'),
		[place('/html')]: '<html>welcome</html>',
		[place('/bare')]: metadata(`${origin}/bare`, {device_authorization_endpoint: undefined}),
	}));

	expect(refusal).toBe(
		'SvcError: Cannot log in to tool server "crm" with a code: no authorization server of it gives codes to devices: ' +
			'"/html" has no metadata that can be used (200, 404, 404); ' +
			'"/bare" does not advertise "device_authorization_endpoint"; ' +
			'"/none" has no metadata that can be used (404, 404, 404). Log in with "--flow browser"',
	);
});

test('one that cannot be reached is no reason against the next', async () => {
	const found = await find(origin => ({
		'/.well-known/oauth-protected-resource/mcp': {
			resource: `${origin}/mcp`,
			authorization_servers: ['http://127.0.0.1:1', `${origin}/codes`],
		},
		[place('/codes')]: metadata(`${origin}/codes`),
	}));

	expect(found).toBe('/codes');
});

test('a tool server that names no authorization server is asked itself', async () => {
	expect(await find(origin => ({[place('')]: metadata(origin)}))).toBe('/');
});

test('metadata of another resource are no way in', async () => {
	const refusal = await find(() => ({
		'/.well-known/oauth-protected-resource/mcp': {
			resource: 'https://elsewhere.example/mcp',
			authorization_servers: ['https://elsewhere.example'],
		},
	}));

	expect(refusal).toContain('it says that it is another one, "https://elsewhere.example/mcp"');
});

test('a grant is refreshed where it came from, though an earlier server gives codes by now', async () => {
	const documents: Documents = origin => ({
		...resource(origin, '/new', '/old'),
		[place('/new')]: metadata(`${origin}/new`),
		[place('/old')]: metadata(`${origin}/old`),
	});

	expect(await find(documents)).toBe('/new');
	expect(await find(documents, origin => `${origin}/old`)).toBe('/old');
});
