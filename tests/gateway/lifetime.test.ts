import {existsSync} from 'node:fs';
import {chmod, mkdir, readFile, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {homePaths} from '../../source/config/home-paths.ts';
import {systemClock} from '../../source/core/clock.ts';
import {lockFile} from '../../source/core/file-lock.ts';
import {startGateway} from '../../source/gateway/gateway.ts';
import {control} from '../helpers/control.ts';
import {gatewayHome, startTestGateway, stateWhere} from '../helpers/gateway.ts';
import {post} from '../helpers/post.ts';
import {mountSmallDisk} from '../helpers/small-disk.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

test('"a second start says which process holds it"', async () => {
	await using gateway = await startTestGateway();
	await expect(startTestGateway({home: gateway.home})).rejects.toMatchObject({
		code: 'gateway_running',
		message: expect.stringContaining(`process ${process.pid} runs one already`),
	});
	expect((await readFile(gateway.paths.pidFile, 'utf8')).trim()).toBe(String(process.pid));
	expect((await gateway.send('nobody', {})).status).toBe(404);
});

test('the lock, the pid file and the socket are gone when it has ended', async () => {
	await using home = await gatewayHome();
	const gateway = await startTestGateway({home});
	await gateway[Symbol.asyncDispose]();
	await expect(stat(gateway.paths.pidFile)).rejects.toThrow('ENOENT');
	await expect(stat(gateway.paths.socket)).rejects.toThrow('ENOENT');
	using lock = lockFile(gateway.paths.lockFile);
	expect(lock).toBeDefined();
});

test('"every file that can hold a secret is 0600", folders are 0700', async () => {
	await using parent = await temporaryHome();
	const paths = homePaths({environment: {SVC_HOME: parent.file('new')}});
	await using gateway = startGateway({
		clock: systemClock,
		paths,
		environment: {},
		version: '0',
		localServers: [],
	});
	await gateway.started;
	const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
	for (const folder of [paths.home, paths.logs, paths.run, paths.scripts, paths.skills]) {
		expect(await modeOf(folder)).toBe(0o700);
	}

	for (const file of [paths.stateDb, `${paths.stateDb}-wal`, paths.gatewayLog, paths.pidFile]) {
		expect(await modeOf(file)).toBe(0o600);
	}
});

test('the log begins with what earlier processes of the last hours have said', async () => {
	await using home = await gatewayHome();
	await mkdir(home.file('logs'));
	const line = (hours: number, message: string) =>
		`${new Date(Date.now() - hours * 3_600_000).toISOString()} error agent    ${message} run=7`;
	const lines = [line(30, 'Yesterday'), line(2, 'Before the crash'), 'no record'];
	await writeFile(home.file('logs/gateway.log'), `${lines.join('\n')}\n`);
	const gateway = await startTestGateway({home});
	const messages = () => gateway.port.getState().logs.map(({message}) => message);
	expect(messages().slice(0, 2)).toEqual([
		'Before the crash',
		expect.stringMatching(/^(?!Yesterday)/),
	]);
	expect(gateway.port.getState().logs[0]).toMatchObject({level: 'error', fields: {run: 7}});
	await gateway[Symbol.asyncDispose]();
	await using next = await startTestGateway({home});
	expect(next.port.getState().logs.map(({message}) => message)).toEqual(
		expect.arrayContaining(['Before the crash', 'The gateway is stopping']),
	);
});

test('a log that others could read is closed to them', async () => {
	await using home = await gatewayHome();
	await mkdir(home.file('logs'));
	await writeFile(home.file('logs/gateway.log'), 'old\n');
	await chmod(home.file('logs/gateway.log'), 0o644);
	const gateway = await startTestGateway({home});
	await gateway[Symbol.asyncDispose]();
	expect((await stat(home.file('logs/gateway.log'))).mode & 0o777).toBe(0o600);
	expect(await readFile(home.file('logs/gateway.log'), 'utf8')).toMatch(/^old\n.* Listening on /);
});

test.for([
	['a file in the place of the home', '', 'home_unusable'],
	['a file in the place of its log folder', 'logs', 'home_unusable'],
	['a store that is no database', 'state.db', 'store_unreadable'],
] as const)('%s is a refusal with a reason', async ([, name, code]) => {
	await using parent = await temporaryHome();
	const home = parent.file('home');
	if (name === '') {
		await writeFile(home, 'not a folder');
	} else {
		await mkdir(home);
		await writeFile(join(home, name), 'not what it should be\n'.repeat(100));
	}

	const gateway = startGateway({
		clock: systemClock,
		paths: homePaths({environment: {SVC_HOME: home}}),
		environment: {},
		version: '0',
		localServers: [],
	});
	await expect(gateway.started).rejects.toMatchObject({
		code,
		message: expect.stringContaining(join(home, name)),
	});
	await expect(gateway.port.status()).rejects.toMatchObject({code});
	await gateway[Symbol.asyncDispose]();
	await gateway.stopped;
});

test('a home whose path is too long for a socket is refused in words', async () => {
	await using parent = await temporaryHome();
	const home = parent.file('x'.repeat(120));
	const gateway = startGateway({
		clock: systemClock,
		paths: homePaths({environment: {SVC_HOME: home}}),
		environment: {},
		version: '0',
		localServers: [],
	});
	await expect(gateway.started).rejects.toMatchObject({
		code: 'control_unavailable',
		message: expect.stringContaining('use a shorter SVC_HOME'),
	});
	await gateway[Symbol.asyncDispose]();
	using lock = lockFile(join(home, 'run', 'gateway.lock'));
	expect(lock).toBeDefined();
});

test('a gateway that is asked to end while it starts ends', async () => {
	await using home = await gatewayHome();
	const gateway = startGateway({
		clock: systemClock,
		paths: homePaths({environment: {SVC_HOME: home.path}}),
		environment: {},
		version: '0',
		localServers: [],
	});
	await gateway.port.stop();
	await gateway.stopped;
	expect(gateway.port.getState().gateway.stopping).toBe(true);
	await using next = await startTestGateway({home});
	expect(next.url()).toContain('http://127.0.0.1:');
});

test('the history of the last gateway is there after a start', async () => {
	await using home = await gatewayHome({subscriptions: {hook: {prompt: 'x'}}});
	const first = await startTestGateway({home});
	await first.send('hook', {});
	await first.until(({runs: [run]}) => run?.state === 'done');
	const before = first.port.getState();
	await first[Symbol.asyncDispose]();
	await using second = await startTestGateway({home});
	const {runs, deliveries} = second.port.getState();
	expect(runs).toEqual(before.runs);
	expect(deliveries.map(({delivery}) => delivery.deliveryId)).toEqual(
		before.deliveries.map(({delivery}) => delivery.deliveryId),
	);
});

test('whoever asks as soon as it listens is answered rightly: the identifiers and jobs of before are known', async () => {
	await using home = await gatewayHome({
		subscriptions: {hook: {prompt: 'x'}, fire: {prompt: 'y', cron_job: 'nightly'}},
	});
	await home.write(
		'cron/jobs.json',
		JSON.stringify({
			jobs: [{id: 'job_nightly0', name: 'nightly', schedule: 'every 24h', prompt: 'Report'}],
		}),
	);
	const first = await startTestGateway({home});
	await first.send('hook', {}, {'x-github-delivery': 'known'});
	await first.ended(1);
	await first[Symbol.asyncDispose]();

	const gateway = startGateway({
		clock: systemClock,
		paths: homePaths({environment: {SVC_HOME: home.path}}),
		environment: {API_ENABLED: 'false'},
		version: '0',
		localServers: [],
	});
	await using _ = gateway;
	const {webhook} = await stateWhere(gateway.port, ({webhook: is}) => is.state === 'listening');
	const url = webhook.state === 'listening' ? webhook.url : '';
	const ask = async (route: string, id: string) =>
		post(`${url}/webhooks/${route}`, {payload: {}, headers: {'x-github-delivery': id}});
	const [again, fired, fresh] = await Promise.all([
		ask('hook', 'known'),
		ask('fire', 'fired'),
		ask('hook', 'fresh'),
	]);
	expect([again.status, again.json]).toEqual([200, {status: 'duplicate', delivery_id: 'known'}]);
	expect([fired.status, fired.json.cron_job]).toEqual([202, 'nightly']);
	expect(fresh.status).toBe(202);

	await gateway.started;
	const {deliveries, runs} = await stateWhere(
		gateway.port,
		state => state.runs.length === 3 && state.runs.every(run => run.state === 'done'),
	);
	expect(deliveries.map(({delivery}) => delivery.deliveryId).toSorted()).toEqual([
		'fired',
		'fresh',
		'known',
		'known',
	]);
	expect(deliveries[0]?.delivery).toMatchObject({deliveryId: 'known', outcome: 'accepted'});
	expect(runs.map(({id}) => id)).toEqual([1, 2, 3]);
});

test('a full disk stops no start while there is a reserve, and is named when there is none', async ({
	skip,
}) => {
	using disk = mountSmallDisk() ?? skip('needs the right to mount a tmpfs');
	const paths = homePaths({environment: {SVC_HOME: disk.path}});
	const start = () =>
		startGateway({clock: systemClock, paths, environment: {}, version: '0', localServers: []});
	const first = start();
	await first.started;
	await first[Symbol.asyncDispose]();
	expect(existsSync(`${paths.stateDb}.reserve`)).toBe(true);

	disk.fill();
	const second = start();
	await second.started;
	expect(existsSync(`${paths.stateDb}.reserve`)).toBe(false);
	await second[Symbol.asyncDispose]();

	disk.fill();
	const third = start();
	await expect(third.started).rejects.toMatchObject({
		code: 'store_unreadable',
		message: expect.stringMatching(/state\.db": the disk is full: free some space/),
	});
	await third[Symbol.asyncDispose]();
});

test('on a full disk the control API says what it could not write, why, and what to do', async ({
	skip,
}) => {
	using disk = mountSmallDisk() ?? skip('needs the right to mount a tmpfs');
	const paths = homePaths({environment: {SVC_HOME: disk.path}});
	await writeFile(
		paths.subscriptions,
		JSON.stringify({hook: {secret: 'correct horse', description: 'x'.repeat(20_000)}}),
	);
	await using gateway = startGateway({
		clock: systemClock,
		paths,
		environment: {},
		version: '0',
		localServers: [],
	});
	await gateway.started;
	disk.fill();
	for (const [method, path, body] of [
		['POST', '/v1/routes/hook/pause', '{"paused":true}'],
		['POST', '/v1/routes/hook/rotate', '{}'],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {status, json} = await control(paths.socket, path, {method, body});
		expect([status, json]).toEqual([
			500,
			{
				error: `Cannot write "${paths.subscriptions}": the disk is full (ENOSPC); free some space and try again`,
				code: 'file_system_failed',
			},
		]);
	}
});
