import {once} from 'node:events';
// @module-tag slow
import {chownSync, chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync} from 'node:fs';
import {connect, createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {Client} from 'pg';
import {afterAll, describe, expect, test, vi} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {codeOf} from '../../source/core/errors.ts';
import {isReadableOnTheWay} from '../../source/store/postgres/connection.ts';
import {createDatabase} from '../../source/store/postgres/database.ts';
import {examineDatabase} from '../../source/store/postgres/examine-database.ts';
import {openPostgresStore} from '../../source/store/postgres/open-postgres-store.ts';
import {hasPostgres, serverUser, startPostgres} from '../helpers/postgres.ts';
import {makeCertificates} from '../mcp/servers/certificates.ts';

/** A server that speaks TLS, with a certificate for `localhost` of an authority that only `ca.pem` names. */
async function startWithTls() {
	const certificates = await makeCertificates();
	const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'svc-tls-'));
	const user = serverUser();
	for (const name of ['server.pem', 'server.key']) {
		copyFileSync(certificates.file(name), join(folder, name));
		chmodSync(join(folder, name), 0o600);
		if (user) {
			chownSync(join(folder, name), user.uid, user.gid);
		}
	}

	if (user) {
		chownSync(folder, user.uid, user.gid);
	}

	const server = await startPostgres({
		settings: [
			'ssl=on',
			`ssl_cert_file=${join(folder, 'server.pem')}`,
			`ssl_key_file=${join(folder, 'server.key')}`,
		],
	});
	const urlOf = (query: string) => {
		const url = new URL(server.urlOf('postgres'));
		url.hostname = 'localhost';
		return `${url.href}?${query}`;
	};
	return {
		ca: certificates.file('ca.pem'),
		plain: server.urlOf('postgres'),
		urlOf,
		async [Symbol.asyncDispose]() {
			await server[Symbol.asyncDispose]();
			rmSync(folder, {recursive: true, force: true});
			await certificates[Symbol.asyncDispose]();
		},
	};
}

test.each([
	['postgres://svc@db.example.com/svc', true],
	['postgres://svc@10.0.0.1/svc?sslmode=disable', true],
	['postgres:///svc?host=db.example.com', true],
	['postgres://svc@db.example.com/svc?sslmode=verify-full', false],
	['postgres://svc@db.example.com/svc?sslrootcert=/etc/db.pem', false],
	['postgres://svc@db.example.com/svc?ssl=true', false],
	['postgres://svc@localhost/svc', false],
	['postgres://svc@127.0.0.1:6432/svc', false],
	['postgres://svc@[::1]/svc', false],
	['postgres:///svc?host=/var/run/postgresql', false],
])('what is said to %s can be read on the way: %s', (url, isReadable) => {
	expect(isReadableOnTheWay(url)).toBe(isReadable);
});

const isOwn = process.env['SVC_TEST_POSTGRES'] === undefined;

describe.runIf(hasPostgres && isOwn)('a database', async () => {
	const server = await (hasPostgres && isOwn ? startWithTls() : undefined);
	afterAll(() => server?.[Symbol.asyncDispose]());
	const ca = server?.ca ?? '';
	const look = async (query: string) =>
		examineDatabase({
			url: server?.urlOf(query) ?? '',
			clock: systemClock,
			examine: async () => {},
		});

	test.each([
		`sslmode=verify-full&sslrootcert=${ca}`,
		`sslmode=require&sslrootcert=${ca}`,
		`sslrootcert=${ca}`,
		'sslmode=no-verify',
	])('is reached by TLS with %s', async query => {
		await expect(look(query)).resolves.toMatchObject({canWrite: true});
	});

	test.each([
		['sslmode=verify-full', 'sslrootcert=FILE'],
		['sslmode=require', 'sslrootcert=FILE'],
		['sslrootcert=/nowhere/ca.pem', '/nowhere/ca.pem'],
	])('is not reached by TLS with %s', async (query, words) => {
		const error: unknown = await look(query).catch((caught: unknown) => caught);
		expect(codeOf(error)).toBe('journal_unavailable');
		expect(String(error)).toContain(words);
	});

	test('is reached again when the file of the certificate is away and all connections break', async () => {
		const copy = `${ca}.copy`;
		copyFileSync(ca, copy);
		const url = server?.urlOf(`sslmode=verify-full&sslrootcert=${copy}`) ?? '';
		const place = 'one';
		await using store = await openPostgresStore({clock: systemClock}, {url, node: place, place});
		const admin = new Client({connectionString: server?.plain ?? ''});
		await admin.connect();
		try {
			const listening = async () =>
				admin.query("select pid from pg_stat_activity where query = 'listen svc_note'");
			const [first] = (await listening()).rows;
			expect(first).toBeDefined();
			rmSync(copy);
			await admin.query(
				"select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
			);
			await vi.waitFor(
				async () => {
					const {rows} = await listening();
					expect(rows).toHaveLength(1);
					expect(rows).not.toEqual([first]);
				},
				{timeout: 10_000, interval: 100},
			);
			await expect(store.cluster.members()).resolves.toHaveLength(1);
		} finally {
			await admin.end();
		}
	});

	test('that does not answer is not waited for twice by one transaction', async () => {
		await using between = await standBetween(new URL(server?.plain ?? ''));
		const database = createDatabase({clock: systemClock}, {url: between.url});
		const ended: string[] = [];
		const ask = async () => database.query('select 1').catch(() => {});
		try {
			await Promise.all([ask(), ask()]);
			let others: Promise<void> | undefined;
			const transaction = database.transact(async ({query}) => {
				between.fallSilent();
				// The first waits for an answer, as the transaction does, the second then for a connection.
				others = ask()
					.then(ask)
					.then(() => {
						ended.push('two queries');
					});
				await query('select 1');
			});
			await expect(transaction).rejects.toThrow('the host does not answer');
			ended.push('transaction');
			await others;
			expect(ended).toEqual(['transaction', 'two queries']);
		} finally {
			await database.close();
		}
	}, 30_000);
});

/** Carries what a client and the server say, until it falls silent. */
async function standBetween(url: URL) {
	const sockets: Socket[] = [];
	let isSilent = false;
	const between = createServer(client => {
		const server = connect(Number(url.port), url.hostname);
		sockets.push(client, server);
		for (const socket of [client, server]) {
			socket.on('error', () => {});
		}

		client.on('data', bytes => {
			if (!isSilent) {
				server.write(bytes);
			}
		});
		server.on('data', bytes => {
			if (!isSilent) {
				client.write(bytes);
			}
		});
	}).listen(0, '127.0.0.1');
	await once(between, 'listening');
	const address = between.address();
	const own = new URL(url);
	own.port = String(typeof address === 'object' && address ? address.port : 0);
	return {
		url: own.href,
		fallSilent() {
			isSilent = true;
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) {
				socket.destroy();
			}

			between.close();
		},
	};
}
