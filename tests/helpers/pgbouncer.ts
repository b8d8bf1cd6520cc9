import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Client} from 'pg';
import {freePort, serverUser} from './postgres.ts';

const program = '/usr/sbin/pgbouncer';

export const hasPgbouncer = existsSync(program);

/** PgBouncer in front of the database of `url`, which hands its connections around by transaction; `undefined` where none is installed. */
export async function startPgbouncer(
	url: string,
): Promise<(AsyncDisposable & {readonly url: string}) | undefined> {
	if (!hasPgbouncer) {
		return undefined;
	}

	const {hostname, port, pathname, username} = new URL(url);
	const database = pathname.slice(1);
	const folder = mkdtempSync('/tmp/svc-pgbouncer-');
	const listenPort = await freePort();
	const file = join(folder, 'pgbouncer.ini');
	writeFileSync(
		file,
		`[databases]
${database} = host=${hostname} port=${port} dbname=${database} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 200
server_reset_query =
`,
	);
	const user = serverUser();
	if (user) {
		chownSync(folder, user.uid, user.gid);
		chownSync(file, user.uid, user.gid);
	}

	const child = spawn(program, [file], {...user, stdio: 'ignore'});
	const exited = once(child, 'exit');
	const pooled = new URL(url);
	pooled.port = String(listenPort);
	for (let tries = 0; ; tries += 1) {
		const client = new Client({connectionString: pooled.href});
		try {
			// oxlint-disable-next-line no-await-in-loop -- until it answers
			await client.connect();
			// oxlint-disable-next-line no-await-in-loop
			await client.query('select 1');
			break;
		} catch (error) {
			if (child.exitCode !== null || tries > 200) {
				throw error;
			}

			// oxlint-disable-next-line no-await-in-loop
			await new Promise(resolve => {
				setTimeout(resolve, 50);
			});
		} finally {
			// oxlint-disable-next-line no-await-in-loop
			await client.end().catch(() => {});
		}
	}

	return {
		url: pooled.href,
		async [Symbol.asyncDispose]() {
			child.kill('SIGTERM');
			await exited;
			rmSync(folder, {recursive: true, force: true});
		},
	};
}
