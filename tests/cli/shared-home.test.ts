import {existsSync, readFileSync} from 'node:fs';
import {Client} from 'pg';
import {afterAll, describe, expect, test} from 'vitest';
import {ensureHome, homePaths} from '../../source/config/home-paths.ts';
import {systemClock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import {openSharedDocuments} from '../../source/gateway/documents/open-shared.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {openDocuments} from '../../source/store/postgres/open-documents.ts';
import {openPostgresStore} from '../../source/store/postgres/open-postgres-store.ts';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {acceptRun, sampleEntry} from '../store/samples.ts';
import {command, commandJson} from './command.ts';

const storeKey = 'a key of at least sixteen characters';

describe.runIf(hasPostgres)('commands on a home that shares its store', async () => {
	const server = hasPostgres ? await startPostgres() : undefined;
	afterAll(() => server?.[Symbol.asyncDispose]());
	let made = 0;
	const newDatabase = async () => {
		made += 1;
		return server?.create(`commands_${made}`) ?? '';
	};

	const configOf = (url?: string) =>
		JSON.stringify({
			platforms: {webhook: {enabled: true, host: '127.0.0.1', port: 0}},
			...(url !== undefined && {gateway: {store: url, store_key: storeKey}}),
		});

	const run = async (home: TemporaryHome, ...args: readonly string[]) =>
		command(args, {home: home.path});

	test('what one home subscribes and schedules, another lists, edits and removes; no file appears', async () => {
		const url = await newDatabase();
		await using one = await temporaryHome({'config.yaml': configOf(url)});
		await using other = await temporaryHome({'config.yaml': configOf(url)});
		const subscribed = await run(
			one,
			'webhook',
			'subscribe',
			'crm',
			'--prompt',
			'Hi',
			'--secret',
			'whisper-whisper-1',
		);
		expect(subscribed).toMatchObject({code: 0});
		expect(await commandJson(['webhook', 'list', '--json'], {home: other.path})).toMatchObject([
			{name: 'crm', source: 'dynamic'},
		]);
		expect(await run(other, 'webhook', 'pause', 'crm')).toMatchObject({code: 0});
		expect(await run(one, 'webhook', 'pause', 'nobody')).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('(subscriptions)'),
		});
		const added = await commandJson(
			[
				'cron',
				'add',
				'--name',
				'report',
				'--schedule',
				'0 9 * * *',
				'--prompt',
				'Report',
				'--json',
			],
			{home: one.path},
		);
		expect(await run(other, 'cron', 'pause', added.id)).toMatchObject({code: 0});
		expect(await commandJson(['cron', 'list', '--json'], {home: one.path})).toMatchObject([
			{id: added.id, state: 'paused'},
		]);
		expect(await run(other, 'config', 'check')).toMatchObject({code: 0});
		expect(await run(one, 'webhook', 'remove', 'crm')).toMatchObject({code: 0});
		expect(await commandJson(['webhook', 'list', '--json'], {home: other.path})).toEqual([]);
		for (const home of [one, other]) {
			expect(existsSync(home.file('webhook_subscriptions.json'))).toBe(false);
			expect(existsSync(home.file('cron/jobs.json'))).toBe(false);
		}
	});

	test('the key is changed by reading with the old one; an archive has no journal, and says so', async () => {
		const url = await newDatabase();
		await using one = await temporaryHome({'config.yaml': configOf(url)});
		await run(
			one,
			'webhook',
			'subscribe',
			'crm',
			'--prompt',
			'Hi',
			'--secret',
			'whisper-whisper-1',
		);
		const newKey = 'another key of enough characters';
		await using other = await temporaryHome({
			'config.yaml': configOf(url).replace(storeKey, newKey),
			'.env': `OLD_KEY=${storeKey}\nWRONG_KEY=${newKey}\n`,
		});
		expect(await run(other, 'webhook', 'list')).toMatchObject({
			stdout: expect.stringContaining('gateway.store_key'),
		});
		expect((await run(other, 'doctor')).stdout).toContain(
			'secrets of 1 subscription cannot be read',
		);
		expect(await run(other, 'gateway', 'migrate-store', '--old-key', 'WRONG_KEY')).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('store_key_wrong'),
		});
		{
			await using _ = await openPostgresStore(
				{clock: systemClock},
				{url, node: 'east', place: 'east'},
			);
			expect(await run(other, 'gateway', 'migrate-store', '--old-key', 'OLD_KEY')).toMatchObject({
				code: 1,
				stderr: expect.stringMatching(/store_in_use[^]*stop east|stop east[^]*store_in_use/),
			});
		}

		expect(await run(other, 'gateway', 'migrate-store', '--old-key', 'OLD_KEY')).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('1 document'),
		});
		const client = new Client({connectionString: url});
		await client.connect();
		await client.query('insert into schema_version (version) values (999)');
		expect((await run(other, 'doctor')).stdout).toMatch(/schema 999[^]*install the version of svc/);
		await client.query('delete from schema_version where version = 999');
		await client.end();
		expect((await run(other, 'webhook', 'list')).stdout).not.toContain('store_key');
		expect((await run(one, 'webhook', 'list')).stdout).toContain('gateway.store_key');
		expect(await run(one, 'backup', one.file('out.tar'))).toMatchObject({
			code: 0,
			stderr: expect.stringContaining('pg_dump'),
		});
		await using empty = await temporaryHome({});
		expect(await run(empty, 'restore', one.file('out.tar'))).toMatchObject({
			code: 0,
			stderr: expect.stringContaining('pg_restore'),
		});
	});

	test('a database that is away is told of, and no file is written in its place', async () => {
		await using home = await temporaryHome({
			'config.yaml': configOf('postgres://svc@127.0.0.1:1/none'),
		});
		expect(await run(home, 'webhook', 'subscribe', 'crm', '--prompt', 'Hi')).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('journal_unavailable'),
		});
		expect(await run(home, 'webhook', 'list')).toMatchObject({code: 1});
		expect(existsSync(home.file('webhook_subscriptions.json'))).toBe(false);
		const {stdout} = await run(home, 'doctor');
		const failures = stdout.split('\n').filter(line => line.startsWith('✗'));
		expect(failures).toEqual([expect.stringMatching(/^✗ fails +store +.*gateway\.store/)]);
		expect(stdout).toMatch(/^– unknown config +see "store"$/m);
	});

	test('what is wrong with a row is told of with the name of the database and the command that changes it', async () => {
		const url = await newDatabase();
		await using home = await temporaryHome({
			'config.yaml': configOf(url),
			'webhook_subscriptions.json': JSON.stringify({'acme.crm': {prompt: 'Hi', events: 5}}),
			'cron/jobs.json': JSON.stringify({
				jobs: [{id: 'job_aaaaaaaa', name: 'report', schedule: 'now and then', prompt: 'A'}],
			}),
		});
		{
			const paths = homePaths({environment: {SVC_HOME: home.path}});
			ensureHome(paths);
			await using store = await openDocuments({clock: systemClock}, {url});
			await using shared = openSharedDocuments({clock: systemClock, log: silentLogger, paths});
			await shared.follow(store, {storeKey});
			await shared.importFiles(() => [shared.paths]);
		}

		const {stdout} = await run(home, 'doctor');
		const name = /postgres:\/\/\S+/.source;
		expect(stdout).toMatch(
			new RegExp(
				`${name} \\(subscriptions\\) acme\\.crm\\.events: [^]*?→ svc webhook edit acme\\.crm\n`,
			),
		);
		expect(stdout).toMatch(
			new RegExp(`${name} \\(jobs\\) job_aaaaaaaa: [^]*?→ svc cron edit job_aaaaaaaa\n`),
		);
		expect(stdout).not.toContain('.json');
	});

	test('a store moves to a database and back, with subscriptions and jobs; the configuration stays', async () => {
		const url = await newDatabase();
		const subscriptions = {b: {prompt: 'B', secret: 'whisper-whisper-2'}, a: {prompt: 'A'}};
		const jobs = {jobs: [{id: 'job_aaaaaaaa', name: 'a', schedule: '0 9 * * *', prompt: 'A'}]};
		await using home = await temporaryHome({
			'config.yaml': JSON.stringify({gateway: {store_key: storeKey}}),
			'webhook_subscriptions.json': JSON.stringify(subscriptions),
			'profiles/work/cron/jobs.json': JSON.stringify(jobs),
		});
		{
			await using store = await openSqliteStore(
				{clock: systemClock},
				{file: home.file('state.db')},
			);
			await acceptRun(store, sampleEntry());
		}

		const counted = await run(home, 'gateway', 'migrate-store', '--to', url, '--dry-run');
		expect(counted).toMatchObject({code: 0, stdout: expect.stringContaining('1 deliveries')});
		// Whoever counts only must not be told to start on a database that is empty.
		expect(counted.stdout).not.toContain('config.yaml');
		const secret = `${url.replace('svc@', 'svc:abc=;d@')}?sslmode=disable&password=mumble`;
		const shown = `${url.replace('svc@', 'svc:${PGPASSWORD}@')}?sslmode=disable&password=$\{PGPASSWORD}`;
		const copied = await run(home, 'gateway', 'migrate-store', '--to', secret);
		expect(copied).toMatchObject({
			code: 0,
			stdout: expect.stringContaining(`    store: ${shown}`),
			stderr: expect.stringContaining('1 of 1 runs'),
		});
		expect(await run(home, 'gateway', 'migrate-store', '--to', url)).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('store_not_empty'),
		});
		expect(await run(home, 'gateway', 'migrate-store', '--from', url)).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('store_not_empty'),
		});
		await using empty = await temporaryHome({
			'config.yaml': JSON.stringify({gateway: {store_key: 'another key of enough characters'}}),
		});
		expect(await run(empty, 'gateway', 'migrate-store', '--from', url)).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('store_key_wrong'),
		});
		await using back = await temporaryHome({
			'config.yaml': JSON.stringify({gateway: {store_key: storeKey}}),
		});
		expect(await run(back, 'gateway', 'migrate-store', '--from', url)).toMatchObject({code: 0});
		expect(readFileSync(back.file('webhook_subscriptions.json'), 'utf8')).toBe(
			`${JSON.stringify(subscriptions, null, 2)}\n`,
		);
		expect(JSON.parse(readFileSync(back.file('profiles/work/cron/jobs.json'), 'utf8'))).toEqual(
			jobs,
		);
		expect(await commandJson(['runs', 'list', '--json'], {home: back.path})).toHaveLength(1);
		expect(readFileSync(home.file('config.yaml'), 'utf8')).not.toContain('postgres');
	});
});
