import {createPublicKey} from 'node:crypto';
import {getCACertificates} from 'node:tls';
import {expect, test} from 'vitest';
import {createAuthorities} from '../../source/config/authorities.ts';
import {createLogger} from '../../source/core/log.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {need} from '../helpers/need.ts';
import {type TemporaryHome, temporaryHome} from '../helpers/temporary-home.ts';
import {makeCertificates} from '../mcp/servers/certificates.ts';

function open(
	home: TemporaryHome,
	ca: readonly string[],
	environment: Record<string, string> = {},
) {
	const warnings: string[] = [];
	const authorities = createAuthorities(
		() => ({tls: {ca}, environment, paths: {home: home.path}}),
		{
			log: createLogger({
				clock: createFakeClock(),
				redact: text => text,
				write: ({message}) => warnings.push(message),
			}),
		},
	);
	return {authorities, warnings};
}

const standard = () =>
	new Set([...getCACertificates('default'), ...getCACertificates('system')]).size;

test('what is configured counts beside the authorities of Node and of the system', async context => {
	need('openssl', context);
	await using certificates = await makeCertificates();
	await using home = await temporaryHome();
	const ca = certificates.file('ca.pem');
	const {authorities, warnings} = open(home, [ca], {
		SSL_CERT_FILE: ca,
		NODE_EXTRA_CA_CERTS: certificates.file('server.pem'),
	});

	expect(authorities.all()).toHaveLength(standard() + 2);
	expect(warnings).toEqual([]);
});

test('files are read again when they change, and once as long as they do not', async context => {
	need('openssl', context);
	await using certificates = await makeCertificates();
	await using home = await temporaryHome({'own.pem': 'nothing yet'});
	const {authorities, warnings} = open(home, ['own.pem']);

	const before = authorities.context();
	expect(authorities.context()).toBe(before);
	expect(warnings).toEqual([
		'Certificates of tls.ca are left out: it is no PEM file with certificates',
	]);

	await home.write('own.pem', certificates.server.cert);
	expect(authorities.context()).not.toBe(before);
	expect(authorities.all()).toHaveLength(standard() + 1);
	expect(warnings).toHaveLength(1);
});

test.for<[string, string, string]>([
	['no.pem', '', 'there is no such file'],
	['.', '', 'it is not a file'],
	['key.pem', createKey(), 'it is no PEM file with certificates'],
	[
		'broken.pem',
		'-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
		'1 of 1 cannot be read',
	],
])('%s is left out, and said to be', async ([name, text, problem]) => {
	await using home = await temporaryHome(text === '' ? {} : {[name]: text});
	const {authorities, warnings} = open(home, [], {SSL_CERT_FILE: home.file(name)});

	expect(authorities.all()).toHaveLength(standard());
	expect(warnings).toEqual([expect.stringContaining(problem)]);
	expect(warnings[0]).toContain('SSL_CERT_FILE');
});

function createKey(): string {
	return createPublicKey({
		key: {kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'},
		format: 'jwk',
	})
		.export({type: 'spki', format: 'pem'})
		.toString();
}
