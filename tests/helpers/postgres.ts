import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {createServer} from 'node:net';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {Client} from 'pg';

/** Where Debian's package puts the programs of the server, the newest version first; else what PATH has. */
function findPrograms(): string | undefined {
	const root = '/usr/lib/postgresql';
	const versions = existsSync(root)
		? readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
		: [];
	const folders = [
		...versions.map(version => join(root, version, 'bin')),
		...(process.env['PATH'] ?? '').split(':'),
	];
	return folders.find(folder =>
		['initdb', 'postgres'].every(name => existsSync(join(folder, name))),
	);
}

const programs = findPrograms();

/** Whether there is a PostgreSQL for tests: that of `SVC_TEST_POSTGRES`, a URL of somebody who may create databases, or one that is installed here. */
export const hasPostgres = process.env['SVC_TEST_POSTGRES'] !== undefined || programs !== undefined;

/** The server does not run as root: it becomes its own user then, or nobody. */
export function serverUser(): {readonly uid: number; readonly gid: number} | undefined {
	if (userInfo().uid !== 0) {
		return undefined;
	}

	const idOf = (flag: string) => {
		try {
			return Number(execFileSync('id', [flag, 'postgres'], {stdio: ['ignore', 'pipe', 'ignore']}));
		} catch {
			return 65_534;
		}
	};
	return {uid: idOf('-u'), gid: idOf('-g')};
}

export async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	server.close();
	return typeof address === 'object' && address ? address.port : 0;
}

export type PostgresServer = AsyncDisposable & {
	/** Of a database, by its name. */
	urlOf(database: string): string;
	/** Makes an empty one; its URL. */
	create(database: string): Promise<string>;
	/** Ends the server as a crash would, or in order, or starts it again. Only of one that was started here. */
	kill(how: 'SIGQUIT' | 'SIGINT' | 'SIGKILL'): Promise<void>;
	start(): Promise<void>;
	/** Stops all its processes where they are, or lets them go on. Linux only. */
	signal(how: 'SIGSTOP' | 'SIGCONT'): void;
	/** Its first process. */
	readonly pid: number | undefined;
};

/** Starts a server for tests in a temporary folder, without care for the disk unless `syncs`, or takes that of `SVC_TEST_POSTGRES`. */
export async function startPostgres({
	settings = [],
	syncs = false,
}: {
	readonly settings?: readonly string[];
	readonly syncs?: boolean;
} = {}): Promise<PostgresServer> {
	const given = process.env['SVC_TEST_POSTGRES'];
	// The temporary folder of the tests is closed to the user of the server.
	const isInMemory = !syncs && existsSync('/dev/shm');
	const folder = mkdtempSync(join(isInMemory ? '/dev/shm' : '/tmp', 'svc-postgres-'));
	const data = join(folder, 'data');
	const user = serverUser();
	const port = await freePort();
	const base = given ?? `postgres://svc@127.0.0.1:${port}/postgres`;
	let child: ReturnType<typeof spawn> | undefined;
	const urlOf = (database: string) => {
		const url = new URL(base);
		url.pathname = `/${database}`;
		return url.href;
	};

	const ask = async (sql: string) => {
		const client = new Client({connectionString: base});
		await client.connect();
		try {
			await client.query(sql);
		} finally {
			await client.end();
		}
	};

	const start = async () => {
		if (given !== undefined) {
			return;
		}

		const flags = [
			'listen_addresses=127.0.0.1',
			`unix_socket_directories=${folder}`,
			`port=${port}`,
			'max_connections=200',
			'jit=off',
			// A measurement pays for the cleaning of rows, a test does not wait for it.
			`autovacuum=${syncs ? 'on' : 'off'}`,
			`fsync=${syncs ? 'on' : 'off'}`,
			...(syncs ? [] : ['full_page_writes=off']),
			...settings,
		];
		child = spawn(
			join(programs ?? '', 'postgres'),
			['-D', data, ...flags.flatMap(flag => ['-c', flag])],
			{...user, stdio: ['ignore', 'ignore', 'ignore']},
		);
		for (let tries = 0; ; tries += 1) {
			try {
				// oxlint-disable-next-line no-await-in-loop -- until it answers
				await ask('select 1');
				return;
			} catch (error) {
				if (child.exitCode !== null || tries > 600) {
					throw error;
				}

				// oxlint-disable-next-line no-await-in-loop
				await new Promise(resolve => {
					setTimeout(resolve, 50);
				});
			}
		}
	};

	const kill: PostgresServer['kill'] = async how => {
		const running = child;
		child = undefined;
		if (running && running.exitCode === null) {
			const ended = once(running, 'exit');
			running.kill(how);
			await ended;
		}
	};

	if (given === undefined) {
		if (user) {
			chownSync(folder, user.uid, user.gid);
		}

		execFileSync(
			join(programs ?? '', 'initdb'),
			['-D', data, '-U', 'svc', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
			{...user, stdio: 'ignore', cwd: folder},
		);
		await start();
	}

	return {
		urlOf,
		async create(database) {
			await ask(`create database "${database}"`);
			return urlOf(database);
		},
		kill,
		start,
		signal(how) {
			const first = child?.pid;
			if (first === undefined) {
				return;
			}

			// The first one before those that it would start meanwhile.
			process.kill(first, how);
			for (const pid of readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').match(
				/\d+/g,
			) ?? []) {
				try {
					process.kill(Number(pid), how);
				} catch {
					// It has just ended.
				}
			}
		},
		get pid() {
			return child?.pid;
		},
		async [Symbol.asyncDispose]() {
			await kill('SIGQUIT');
			rmSync(folder, {recursive: true, force: true});
		},
	};
}
