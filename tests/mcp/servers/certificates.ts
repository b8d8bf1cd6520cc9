import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {promisify} from 'node:util';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const run = promisify(execFile);

/** An authority, a server on 127.0.0.1 that is also `site.example`, a client, and the client's key under the password `open sesame`, all made for one test. */
export async function makeCertificates() {
	const home = await temporaryHome({
		'server.ext': 'subjectAltName=IP:127.0.0.1,IP:0.0.0.0,DNS:localhost,DNS:site.example\n',
		'client.ext': 'extendedKeyUsage=clientAuth\n',
	});
	const openssl = async (...args: readonly string[]) => run('openssl', args, {cwd: home.path});
	const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];
	await openssl(
		'req',
		'-x509',
		...key,
		'-keyout',
		'ca.key',
		'-out',
		'ca.pem',
		'-subj',
		'/CN=Test CA',
		'-days',
		'2',
	);
	for (const name of ['server', 'client']) {
		await openssl(
			'req',
			...key,
			'-keyout',
			`${name}.key`,
			'-out',
			`${name}.csr`,
			'-subj',
			`/CN=${name}`,
		);
		await openssl(
			'x509',
			'-req',
			'-in',
			`${name}.csr`,
			'-CA',
			'ca.pem',
			'-CAkey',
			'ca.key',
			'-CAcreateserial',
			'-out',
			`${name}.pem`,
			'-days',
			'2',
			'-extfile',
			`${name}.ext`,
		);
	}

	await openssl(
		'pkcs8',
		'-topk8',
		'-in',
		'client.key',
		'-out',
		'locked.key',
		'-passout',
		'pass:open sesame',
	);
	const read = async (name: string) => readFile(home.file(name), 'utf8');
	await home.write('both.pem', `${await read('client.pem')}${await read('client.key')}`);
	return {
		file: (name: string) => (name === '.' ? home.path : home.file(name)),
		/** Options of a server. */
		server: {key: await read('server.key'), cert: await read('server.pem')},
		/** Options of a server that wants a certificate of this authority. */
		mutual: {
			key: await read('server.key'),
			cert: await read('server.pem'),
			ca: await read('ca.pem'),
			requestCert: true,
			rejectUnauthorized: true,
		},
		[Symbol.asyncDispose]: async () => home[Symbol.asyncDispose](),
	};
}
