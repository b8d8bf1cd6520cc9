// @module-tag slow
import {spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {
	type ControlGroup,
	moveAll,
	openGroups,
	ownGroup,
} from '../../../source/tools/sandbox/control-group.ts';
import {runInSandbox} from '../../../source/tools/sandbox/run-in-sandbox.ts';
import {need} from '../../helpers/need.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const mount = (root: string, place: string) =>
	`22 1 8:1 / / rw - ext4 /dev/sda rw\n30 23 0:26 ${root} ${place} rw,nosuid shared:4 - cgroup2 cgroup2 rw\n`;

test.for([
	[
		mount('/', '/sys/fs/cgroup'),
		'0::/user.slice/a.service\n',
		'/sys/fs/cgroup/user.slice/a.service',
	],
	[mount('/', '/sys/fs/cgroup'), '4:memory:/x\n0::/\n', '/sys/fs/cgroup'],
	[mount('/docker/1', '/sys/fs/cgroup'), '0::/docker/1/a\n', '/sys/fs/cgroup/a'],
	[mount('/', String.raw`/sys/my\040groups`), '0::/a\n', '/sys/my groups/a'],
	['22 1 8:1 / / rw - ext4 /dev/sda rw\n', '0::/a\n', undefined],
	[mount('/', '/sys/fs/cgroup'), '4:memory:/x\n', undefined],
] as const)('the group of a process is found: %#', ([mountinfo, cgroup, expected]) => {
	expect(ownGroup(mountinfo, cgroup)).toBe(expected);
});

test.for([
	[{}, 'the gateway is in the group of the whole machine'],
	[
		{'cgroup.events': '', 'cgroup.controllers': 'cpu io\n'},
		'its group does not have memory and pids',
	],
	[
		{'cgroup.events': '', 'cgroup.controllers': 'cpu memory pids\n', 'cgroup.procs': '1\n'},
		'programs that svc did not start are in its group',
	],
] as const)('groups are not taken where that would be wrong: %j', async ([files, reason]) => {
	await using folder = await temporaryHome(files);

	expect(openGroups(folder.path)).toEqual({works: false, reason});
	expect(openGroups(undefined)).toEqual({works: false, reason: 'there is no cgroup v2'});
});

test('processes that end or are started while all are moved are no reason to have no groups', async () => {
	await using folder = await temporaryHome({'cgroup.procs': '1\n2\n3\n'});
	const from = folder.file('cgroup.procs');
	const moved: string[] = [];
	const born = new Map([
		['1', '4'],
		['4', '5'],
	]);

	moveAll(from, 'to', (_, pid) => {
		const left = readFileSync(from, 'utf8')
			.split('\n')
			.filter(one => one !== pid && one !== '');
		writeFileSync(from, [...left, born.get(pid) ?? ''].join('\n'));
		if (pid === '2') {
			throw Object.assign(new Error('no such process'), {code: 'ESRCH'});
		}

		moved.push(pid);
	});

	expect(moved).toEqual(['1', '3', '4', '5']);
	await folder.write('cgroup.procs', '1\n');
	expect(() => {
		moveAll(from, folder.file('nowhere/cgroup.procs'));
	}).toThrow('ENOENT');
});

test('a group is removed, too, when the sandbox in it cannot be launched', async () => {
	const removed: string[] = [];
	const group: ControlGroup = {
		procs: '/nowhere',
		above: () => undefined,
		end() {},
		async remove() {
			removed.push('removed');
		},
	};

	const exit = await runInSandbox(
		['true'],
		{
			launch() {
				throw new TypeError('a path that cannot be named');
			},
			plan: {mounts: [], secrets: [], env: {}, cwd: '/', sockets: [], prelude: []},
			signal: new AbortController().signal,
			timeoutMs: 1000,
			limits: {maxProcesses: 1, maxMemoryBytes: 2 ** 20},
			outputBytes: 10,
		},
		{clock: systemClock, groups: {works: true, open: () => group}},
	);

	expect(exit).toEqual({kind: 'not-started', reason: 'a path that cannot be named'});
	expect(removed).toEqual(['removed']);
});

test('in a group of its own a call is counted by the kernel, with what is in pipes, and the group is gone after it; a person is bounded without one', async context => {
	need('linux.uml', context);
	const file = (name: string) => join(import.meta.dirname, name);

	// A kernel of its own, which has the files of this machine and may write none of them.
	const machine = spawn(
		'linux.uml',
		`mem=512M root=/dev/root rootfstype=hostfs rootflags=/ ro quiet con=null con0=fd:0,fd:1 ssl=null`
			.split(' ')
			.concat(
				`init=${file('group-init.sh')}`,
				`NODE=${process.execPath}`,
				`PROGRAM=${file('group-program.ts')}`,
			),
		{
			// Its memory is a file there.
			env: {...process.env, TMPDIR: '/tmp'},
			stdio: ['ignore', 'pipe', 'pipe'],
			signal: context.signal,
			killSignal: 'SIGKILL',
		},
	);
	const [stdout, stderr] = await Promise.all([text(machine.stdout), text(machine.stderr)]);

	const results = [...stdout.matchAll(/^RESULT (.*)$/gm)].map(
		([, found = '']) => JSON.parse(found) as unknown,
	);
	expect({results, ...(results.length === 0 && {stdout, stderr})}).toEqual({
		results: [
			{
				works: true,
				own: '/svc.service/svc-gateway',
				plain: 'plain\n',
				forks: 'more than 20 processes at once',
				memory: 'more than 40 MB of memory',
				pipes: 'more than 40 MB of memory',
				// The watch alone does not see what is in pipes.
				watched: 'kept\n',
				left: ['svc-gateway'],
			},
			{forks: 'more than 20 processes at once', bound: expect.stringMatching(/^4\d\n$/)},
		],
	});
}, 130_000);
