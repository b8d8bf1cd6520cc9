// @module-tag slow
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createProcessLedger, startOfProcess} from '../../../source/mcp/wire/process-ledger.ts';
import {isGone, until} from '../../helpers/processes.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';
import {ownServer} from '../servers/stdio-server.ts';
import {openTransports} from './open-transports.ts';

const clock = systemClock;

const program = fileURLToPath(new URL('gateway-program.ts', import.meta.url));

/** A gateway with one stubborn server. */
async function startGateway(ledger: string, log: string) {
	const gateway = spawn(process.execPath, [program, ledger, log], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line] = await once(createInterface({input: gateway.stdout}), 'line');
	return {gateway, ...(JSON.parse(line) as {pid: number; child: number})};
}

const childrenOf = async (pid: number) => {
	const ps = spawn('ps', ['-o', 'pid=,args=', '--ppid', String(pid)]);
	const text = (await ps.stdout.toArray()).join('');
	return text
		.trim()
		.split('\n')
		.map(line => line.trim());
};

const readProcesses = (home: TemporaryHome): ReadonlyArray<{readonly pid: number}> => {
	const file = home.file('mcp-processes.json');
	return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).processes : [];
};

test('"no orphan survives the gateway": kill -9 leaves neither the server, its child, nor the supervisor', async () => {
	await using home = await temporaryHome();
	const {gateway, pid, child} = await startGateway(home.file('ledger'), home.file('log'));
	const supervisor = (await childrenOf(gateway.pid ?? 0)).find(line => line.includes('/bin/sh'));
	const supervisorPid = Number(supervisor?.split(' ')[0]);
	expect([isGone(pid), isGone(child), isGone(supervisorPid)]).toEqual([false, false, false]);

	gateway.kill('SIGKILL');
	await until(() => isGone(pid) && isGone(child) && isGone(supervisorPid));
});

test('the supervisor outlives the signals that end a session, and does its work then', async () => {
	await using home = await temporaryHome();
	const {gateway, pid, child} = await startGateway(home.file('ledger'), home.file('log'));
	const supervisor = (await childrenOf(gateway.pid ?? 0)).find(line => line.includes('/bin/sh'));
	const supervisorPid = Number(supervisor?.split(' ')[0]);
	for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
		process.kill(supervisorPid, signal);
	}

	expect(isGone(supervisorPid)).toBe(false);
	gateway.kill('SIGKILL');
	await until(() => isGone(pid) && isGone(child) && isGone(supervisorPid));
});

test('a supervisor that somebody ends is replaced, and knows its groups', async () => {
	await using home = await temporaryHome();
	const {gateway, pid, child} = await startGateway(home.file('ledger'), home.file('log'));
	const find = async () => {
		const supervisor = (await childrenOf(gateway.pid ?? 0)).find(line => line.includes('/bin/sh'));
		return Number(supervisor?.split(' ')[0]);
	};

	const first = await find();
	process.kill(first, 'SIGKILL');
	let second = await find();
	while (!(second > 0) || second === first) {
		second = await find();
	}

	expect(isGone(second)).toBe(false);
	gateway.kill('SIGKILL');
	await until(() => isGone(pid) && isGone(child) && isGone(second));
});

test('what a gateway left that was killed together with its supervisor, the next start ends', async () => {
	await using home = await temporaryHome();
	const ledger = home.file('mcp-processes.json');
	const {gateway, pid, child} = await startGateway(ledger, home.file('log'));
	const supervisor = (await childrenOf(gateway.pid ?? 0)).find(line => line.includes('/bin/sh'));
	process.kill(Number(supervisor?.split(' ')[0]), 'SIGKILL');
	gateway.kill('SIGKILL');
	await once(gateway, 'exit');
	expect(isGone(pid)).toBe(false);

	await using transports = await openTransports({home});
	await using server = await transports.connect(ownServer('plain'));
	expect([isGone(pid), isGone(child)]).toEqual([true, true]);
	expect(transports.records.map(({message}) => message)).toContain(
		'Ended processes of tool servers that an earlier start has left',
	);
	const {pid: own} = JSON.parse(await server.call('about'));
	// A process is noted behind its start.
	await until(() => readProcesses(home).length > 0);
	expect(readProcesses(home).map(({pid: noted}) => noted)).toEqual([own]);
});

test('servers that start and end together are all noted, and all forgotten', async () => {
	await using home = await temporaryHome();
	const transports = await openTransports({home});
	const servers = await Promise.all(
		Array.from({length: 6}, async () => transports.connect(ownServer('plain'))),
	);
	await until(() => readProcesses(home).length === 6);
	const pids = readProcesses(home).map(({pid}) => pid);
	const said = await Promise.all(
		servers.map(async server => JSON.parse(await server.call('about')).pid),
	);
	expect(new Set(pids)).toEqual(new Set(said));
	await transports[Symbol.asyncDispose]();

	expect(readProcesses(home)).toEqual([]);
	expect(pids.every(isGone)).toBe(true);
});

test('a process is ended only when its number and its start are those noted, and its owner is gone', async () => {
	await using home = await temporaryHome();
	const stranger = spawn('sleep', ['100'], {detached: true, stdio: 'ignore'});
	const pid = stranger.pid ?? 0;
	const started = await startOfProcess(pid, clock);
	const gone = {pid: 4_194_303, started: '1'};
	const self = {pid: process.pid, started: await startOfProcess(process.pid, clock)};
	await home.write(
		'ledger',
		JSON.stringify({
			processes: [
				{pid, pgid: pid, started: '1', owner: gone},
				{pid, pgid: pid, started, owner: self},
			],
		}),
	);
	const ledger = createProcessLedger({path: home.file('ledger'), clock, log: silentLogger});

	expect(await ledger.sweep()).toBe(0);
	expect(isGone(pid)).toBe(false);
	expect(JSON.parse(await home.read('ledger')).processes).toHaveLength(1);
	stranger.kill('SIGKILL');
});

test.for(['', '{', '[]', '{"processes": [{"pid": 1, "pgid": 1}]}', '{"processes": [{"pid": -1}]}'])(
	'a ledger of %j ends nothing',
	async text => {
		await using home = await temporaryHome({ledger: text});

		expect(
			await createProcessLedger({path: home.file('ledger'), clock, log: silentLogger}).sweep(),
		).toBe(0);
	},
);
