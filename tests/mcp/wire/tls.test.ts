import {createPrivateKey} from 'node:crypto';
import {readFile, writeFile} from 'node:fs/promises';
import {Client} from '@modelcontextprotocol/client';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {RemoteEndpoint} from '../../../source/config/tool-server.ts';
import {codeOf} from '../../../source/core/errors.ts';
import {makeCertificates} from '../servers/certificates.ts';
import {always, jsonServer, remoteServer, startHttp} from '../servers/http-server.ts';
import {openTransports} from './open-transports.ts';

type Tls = RemoteEndpoint['tls'];

let certificates: Awaited<ReturnType<typeof makeCertificates>>;

beforeAll(async () => {
	certificates = await makeCertificates();
	await writeFile(certificates.file('text.pem'), 'not a certificate');
});

afterAll(async () => certificates[Symbol.asyncDispose]());

async function connect(tls: Tls, handle = jsonServer()) {
	await using transports = await openTransports();
	await using server = await startHttp(handle, certificates.mutual);
	await using opened = await transports.open(remoteServer(server.url, {tls}));
	const client = new Client({name: 'test', version: '1'});
	try {
		await client.connect(opened.transport);
		return 'connected';
	} catch (error) {
		return opened.explain(error);
	}
}

const file = (name: string) => certificates.file(name);

test.for<[string, () => Tls]>([
	[
		'a certificate with its key in one file',
		() => ({verify: file('ca.pem'), client: {cert: file('both.pem')}}),
	],
	[
		'a certificate and its key',
		() => ({verify: file('ca.pem'), client: {cert: file('client.pem'), key: file('client.key')}}),
	],
	[
		'a key under a password',
		() => ({
			verify: file('ca.pem'),
			client: {cert: file('client.pem'), key: file('locked.key'), password: 'open sesame'},
		}),
	],
	['no verification', () => ({verify: false, client: {cert: file('both.pem')}})],
])('mutual TLS with %s', async ([, tls]) => {
	expect(await connect(tls())).toBe('connected');
});

test('an unknown authority', async () => {
	expect(await connect({verify: true, client: {cert: file('both.pem')}})).toEqual({
		message:
			'Its certificate was not issued by a known authority: set tls.ca, or ssl_verify of this server, to the PEM file of its CA',
		kind: 'permanent',
	});
});

test('a server that wants a certificate and gets none', async () => {
	expect(await connect({verify: file('ca.pem')})).toMatchObject({
		message: expect.stringMatching(/client_cert/),
	});
});

test.for<[string, () => Tls]>([
	[
		'client_cert not found at FOLDER/no.pem',
		() => ({verify: true, client: {cert: file('no.pem')}}),
	],
	[
		'client_key not found at FOLDER/no.key',
		() => ({verify: true, client: {cert: file('client.pem'), key: file('no.key')}}),
	],
	['ssl_verify not found at FOLDER/no-ca.pem', () => ({verify: file('no-ca.pem')})],
	['client_cert cannot be read at FOLDER/.', () => ({verify: true, client: {cert: file('.')}})],
	[
		'client_cert at FOLDER/text.pem is no PEM file',
		() => ({verify: true, client: {cert: file('text.pem')}}),
	],
	[
		'The password of client_cert is missing, or does not fit its key',
		() => ({
			verify: true,
			client: {cert: file('client.pem'), key: file('locked.key'), password: 'wrong'},
		}),
	],
	[
		'The password of client_cert is missing, or does not fit its key',
		() => ({verify: true, client: {cert: file('client.pem'), key: file('locked.key')}}),
	],
	[
		'client_cert and its key do not belong together',
		() => ({verify: true, client: {cert: file('client.pem'), key: file('server.key')}}),
	],
])(
	'"A missing certificate, key or CA file fails fast at connect time with a server-scoped message": %s',
	async ([message, tls]) => {
		await using transports = await openTransports();
		const opening = transports.open(remoteServer('https://127.0.0.1:1/mcp', {tls: tls()}));

		await expect(opening).rejects.toMatchObject({
			code: 'mcp_connect_failed',
			message: `MCP server 'crm': ${message.replace('FOLDER', file('.')).replace(/\/\.$/, '')}`,
			failure: {kind: 'permanent'},
		});
	},
);

test('a wrong password whose decryption happens to end well is called a wrong password, too', async () => {
	const key = await readFile(file('locked.key'), 'utf8');
	const password =
		wrongPasswords().find(passphrase => failureOf(key, passphrase) !== 'ERR_OSSL_BAD_DECRYPT') ??
		'';
	await using transports = await openTransports();
	const tls = {
		verify: true,
		client: {cert: file('client.pem'), key: file('locked.key'), password: password ?? ''},
	};

	expect(password).not.toBe('');
	await expect(transports.open(remoteServer('https://127.0.0.1:1/mcp', {tls}))).rejects.toThrow(
		"MCP server 'crm': The password of client_cert is missing, or does not fit its key",
	);
});

/** About one in 256 leaves a well-formed padding: that none of 20,000 does is as good as impossible. */
const wrongPasswords = () => Iterator.from(Array(20_000).keys()).map(index => `wrong ${index}`);

function failureOf(key: string, passphrase: string): unknown {
	try {
		createPrivateKey({key, passphrase});
		return undefined;
	} catch (error) {
		return codeOf(error);
	}
}

test('a server without TLS', async () => {
	await using transports = await openTransports();
	await using server = await startHttp(always(200, 'text/plain'));
	await using opened = await transports.open(remoteServer(server.url.replace('http:', 'https:')));
	const failure = await new Client({name: 'test', version: '1'})
		.connect(opened.transport)
		.catch((error: unknown) => opened.explain(error));

	expect(failure).toEqual({
		message: 'It does not speak TLS on this port: is its URL meant to begin with http://',
		kind: 'permanent',
	});
});
