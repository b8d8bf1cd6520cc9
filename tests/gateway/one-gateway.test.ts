// @module-tag slow
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdir, readdir, readFile, rename, rm, stat, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {homePaths} from '../../source/config/home-paths.ts';
import {systemClock} from '../../source/core/clock.ts';
import type {GatewayState} from '../../source/core/state.ts';
import {connectGateway} from '../../source/gateway/control/remote-port.ts';
import {startGateway} from '../../source/gateway/gateway.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startGatewayProcess} from '../helpers/gateway-process.ts';
import {gatewayHome, startTestGateway, stateWhere} from '../helpers/gateway.ts';

const pathsOf = (home: string) => homePaths({environment: {SVC_HOME: home}});

/** Why a second gateway does not start for the home; rejects when it does. */
async function refusal(home: string): Promise<string> {
	await using second = startGateway({
		clock: systemClock,
		paths: pathsOf(home),
		environment: {},
		version: '0',
		localServers: [],
	});
	const error: unknown = await second.started.then(
		() => 'it started',
		reason => reason,
	);
	return error instanceof Error ? error.message : String(error);
}

test('no file that is removed lets a second gateway in, and the first goes on', async () => {
	await using home = await gatewayHome({subscriptions: {hook: {prompt: 'x'}}});
	const {path} = home;
	const {lockFile, socket, run, stateDb, pidFile} = pathsOf(path);
	await using first = await startGatewayProcess(path);
	const {pid} = first;
	const named = new RegExp(`process ${pid} (?:has it open|runs one already)`);
	const removals: ReadonlyArray<readonly string[]> = [
		[socket],
		[lockFile],
		[`${stateDb}.lock`],
		[lockFile, `${stateDb}.lock`],
		[run],
		[run, `${stateDb}.lock`],
	];
	for (const gone of removals) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await Promise.all(gone.map(async file => rm(file, {recursive: true, force: true})));
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect(`${gone.join(' ')}: ${await refusal(path)}`).toMatch(named);
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const said = await readFile(pidFile, 'utf8').catch(() => undefined);
		// One that went with its folder may or may not be back.
		expect(said ?? (gone.includes(run) ? `${pid}\n` : 'removed')).toBe(`${pid}\n`);
	}

	expect((await fetch(first.url)).status).toBeLessThan(500);
}, 60_000);

test('after kill -9 the next one starts at once, over a stale socket and another process number', async () => {
	await using home = await gatewayHome();
	const {socket, pidFile} = pathsOf(home.path);
	{
		await using killed = await startGatewayProcess(home.path);
		expect(killed.url).toContain('http://');
	}

	expect(existsSync(socket)).toBe(true);
	// Its number belongs to somebody else now.
	await writeFile(pidFile, '1\n');
	await using next = await startTestGateway({home});
	expect(await readFile(pidFile, 'utf8')).toBe(`${process.pid}\n`);
	expect(await next.port.status()).toMatchObject({pid: process.pid});
});

test('locks and a process number that were removed are put back', async () => {
	await using home = await gatewayHome();
	const clock = createFakeClock();
	await using gateway = await startTestGateway({home, clock});
	const {run, lockFile, pidFile, stateDb} = gateway.paths;
	const before = await stat(lockFile);
	await rename(run, `${run}.away`);
	await rm(`${stateDb}.lock`);
	clock.advance(5000);
	await gateway.until(
		({logs}) => logs.filter(({message}) => /^Locked .* again/.test(message)).length === 2,
	);
	expect((await stat(lockFile)).ino).not.toBe(before.ino);
	expect(await readFile(pidFile, 'utf8')).toBe(`${process.pid}\n`);
	expect(existsSync(`${stateDb}.lock`)).toBe(true);
});

test("a socket that somebody listens on is nobody else's to remove", async () => {
	await using home = await gatewayHome();
	const {socket} = pathsOf(home.path);
	await rm(home.file('run'), {recursive: true, force: true});
	await home.write('run/x', '');
	const silent = createServer(connection => {
		connection.resume();
	});
	silent.listen(socket);
	await once(silent, 'listening');
	expect(await refusal(home.path)).toMatch(
		/second gateway .* process \(unknown\) runs one already/,
	);
	expect(existsSync(socket)).toBe(true);
	silent.close();
	await once(silent, 'close');
});

test('a home that was moved away is not made again, and one in its place is not touched', async () => {
	await using home = await gatewayHome();
	const {path} = home;
	const clock = createFakeClock();
	await using gateway = await startTestGateway({home, clock});
	const {run} = gateway.paths;
	const moved = ({logs}: GatewayState) =>
		logs.filter(({message}) => message.startsWith('Cannot keep'));
	await rename(path, `${path}.away`);
	clock.advance(5000);
	const state = await gateway.until(found => moved(found).length === 2);
	expect(moved(state).map(({message}) => message)).toEqual(
		[`${path}/state.db.lock`, `${path}/run/gateway.lock`].map(
			lock =>
				`Cannot keep the lock "${lock}": "${path}" was moved away, removed or replaced while the gateway runs; stop the gateway, put the right folder there, start again`,
		),
	);
	expect(existsSync(path)).toBe(false);

	await mkdir(run, {recursive: true});
	for (let count = 0; count < 3; count++) {
		clock.advance(5000);
		// oxlint-disable-next-line no-await-in-loop -- one look after the other
		await turn();
	}

	expect(await readdir(path, {recursive: true})).toEqual(['run']);
	expect(moved(gateway.port.getState())).toHaveLength(2);
	await rm(path, {recursive: true});
	await rename(`${path}.away`, path);
});

test.each([
	['removed', async (socket: string) => rm(socket)],
	[
		'replaced by one that nobody listens on',
		async (socket: string) => {
			await rm(socket);
			const stale = createServer();
			stale.listen(`${socket}.x`);
			await once(stale, 'listening');
			await rename(`${socket}.x`, socket);
			stale.close();
			await once(stale, 'close');
		},
	],
])(
	'a control socket that was %s is listened on again, and faces that are attached stay so',
	async (_, spoil) => {
		await using home = await gatewayHome({subscriptions: {hook: {prompt: 'x'}}});
		const clock = createFakeClock();
		await using gateway = await startTestGateway({home, clock});
		const {socket} = gateway.paths;
		await using early = await connectGateway({clock: systemClock}, {socket});
		await spoil(socket);
		await expect(connectGateway({clock: systemClock}, {socket})).rejects.toMatchObject({
			code: 'gateway_not_running',
		});
		clock.advance(5000);
		await gateway.until(({logs}) =>
			logs.some(({message}) => message.startsWith(`Listening on "${socket}" again`)),
		);
		expect((await stat(socket)).mode & 0o777).toBe(0o600);
		await using late = await connectGateway({clock: systemClock}, {socket});
		await gateway.send('hook', {});
		for (const face of [early, late]) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			await stateWhere(face, ({deliveries}) => deliveries.length === 1);
			expect(face.getState().gateway.reachable).toBe(true);
		}
	},
);
