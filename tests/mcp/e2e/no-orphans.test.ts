// @module-tag slow
import {expect, test} from 'vitest';
import {command} from '../../cli/command.ts';
import {descendantsOf, isGone, type Process, processAt, until} from '../../helpers/processes.ts';
import {startSvc, svc} from '../../helpers/svc.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {ownServer} from '../servers/stdio-server.ts';

/** A home with a server that ignores SIGTERM, and whose child does so, too. */
const homeOfStubborn = async () => {
	const {endpoint} = ownServer('stubborn');
	return temporaryHome({
		'config.yaml': JSON.stringify({
			model: {provider: 'offline'},
			mcp_servers: {stubborn: {command: endpoint.command, args: endpoint.args}},
		}),
	});
};

/** Resolves with the processes below, as soon as the server, its child and the supervisor are among them. The bound is the test's own. */
async function familyOf(pid: number): Promise<readonly Process[]> {
	let family: readonly Process[] = [];
	const isThere = (part: string) => family.some(({args}) => args.includes(part));
	await until(() => {
		family = descendantsOf(pid);
		return ['stdio-program', 'setInterval', '/bin/sh -c'].every(isThere);
	});
	return family;
}

/** Another process may have got the identifier meanwhile: there are 32,768 of them, and other tests start many. */
const allGone = async (family: ReadonlyArray<Pick<Process, 'pid' | 'args'>>): Promise<void> =>
	until(() => family.every(({pid, args}) => isGone(pid) || processAt(pid)?.args !== args));

test.concurrent.for(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
	'"no orphan survives the gateway": %s leaves neither a stubborn server, its child, nor the supervisor; "own process group": what a terminal sends to the gateway does not reach them',
	async signal => {
		await using home = await homeOfStubborn();
		await using gateway = startSvc(['gateway', 'run'], {home: home.path});
		const family = await familyOf(gateway.pid);
		const groups = family.map(({group}) => group);
		expect(groups).not.toContain(gateway.pid);
		expect(new Set(groups).size).toBe(2);
		gateway.kill(signal);
		const {code} = await gateway.finished;

		expect(code).toBe(signal === 'SIGKILL' ? null : 0);
		await allGone(family);
	},
);

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
	const gateway = processAt(pid);
	const stopped = await command(['gateway', 'stop'], {home: home.path});

	expect(stopped.code).toBe(0);
	await allGone([...family, ...(gateway ? [gateway] : [])]);
});
