import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {startSvc, svc} from '../../helpers/svc.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {ownServer} from '../servers/stdio-server.ts';
import {isGone, until} from '../wire/processes.ts';

const run = promisify(execFile);

type Process = {readonly pid: number; readonly args: string};

/** Every process below `pid`, whatever group it has made for itself. */
async function descendantsOf(pid: number): Promise<readonly Process[]> {
	const {stdout} = await run('ps', ['-eo', 'pid=,ppid=,args=']);
	const all = stdout
		.trim()
		.split('\n')
		.map(line => {
			const [, own, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
			return {pid: Number(own), parent: Number(parent), args};
		});
	const below = (parent: number): readonly Process[] =>
		all
			.filter(each => each.parent === parent)
			.flatMap(({pid: own, args}) => [{pid: own, args}, ...below(own)]);
	return below(pid).filter(({args}) => !args.startsWith('ps '));
}

/** A home with a server that ignores SIGTERM, and whose child does so, too. */
const homeOfStubborn = async () => {
	const {command, args} = ownServer('stubborn').endpoint;
	return temporaryHome({
		'config.yaml': JSON.stringify({
			model: {provider: 'offline'},
			mcp_servers: {stubborn: {command, args}},
		}),
	});
};

/** Resolves with the processes below, as soon as the server, its child and the supervisor are among them. The bound is the test's own. */
async function familyOf(pid: number): Promise<readonly Process[]> {
	for (;;) {
		const family = await descendantsOf(pid);
		const isThere = (part: string) => family.some(({args}) => args.includes(part));
		if (['stdio-program', 'setInterval', '/bin/sh -c'].every(isThere)) {
			return family;
		}
	}
}

const allGone = async (family: readonly Process[]): Promise<void> =>
	until(() => family.every(({pid}) => isGone(pid)));

test.concurrent.for(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
	'"no orphan survives the gateway": %s leaves neither a stubborn server, its child, nor the supervisor',
	async signal => {
		await using home = await homeOfStubborn();
		await using gateway = startSvc(['gateway', 'run'], {home: home.path});
		const family = await familyOf(gateway.pid);
		gateway.kill(signal);
		const {code} = await gateway.finished;

		expect(code).toBe(signal === 'SIGKILL' ? null : 0);
		await allGone(family);
	},
);

test.concurrent('"own process group": what a terminal sends to the gateway does not reach its servers', async () => {
	await using home = await homeOfStubborn();
	await using gateway = startSvc(['gateway', 'run'], {home: home.path});
	const family = await familyOf(gateway.pid);
	const {stdout} = await run('ps', ['-o', 'pgid=', '-p', family.map(({pid}) => pid).join(',')]);
	const groups = stdout.trim().split(/\s+/).map(Number);

	expect(groups).not.toContain(gateway.pid);
	expect(new Set(groups).size).toBe(2);
	gateway.kill('SIGTERM');
	await gateway.finished;
	await allGone(family);
});

test.concurrent('"svc gateway stop" and "svc mcp test" leave no process', async () => {
	await using home = await homeOfStubborn();
	const tested = await svc(['mcp', 'test', 'stubborn'], {home: home.path});
	expect(tested).toMatchObject({code: 0});
	const {code} = await svc(['gateway'], {home: home.path});
	expect(code).toBe(0);
	const pid = Number.parseInt(await home.read('run/gateway.pid'), 10);
	using cleanup = new DisposableStack();
	cleanup.defer(() => {
		if (!isGone(pid)) {
			process.kill(pid, 'SIGKILL');
		}
	});
	const family = await familyOf(pid);
	expect(family.filter(({args}) => args.includes('stdio-program'))).toHaveLength(1);
	const stopped = await svc(['gateway', 'stop'], {home: home.path});

	expect(stopped.code).toBe(0);
	await allGone([...family, {pid, args: 'svc'}]);
});
